/// The files of this folder that pages are made of. Each build copies them into the program (`Scripts/write-texts.sh`).
enum PageTexts {}
