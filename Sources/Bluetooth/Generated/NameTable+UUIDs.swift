// swift-format-ignore-file
// Made by Scripts/import-assigned-numbers.py; do not edit. Numbers and names: Bluetooth SIG, Assigned Numbers.

extension NameTable {
  /// What 16-bit UUIDs stand for, or who registered them.
  static var uuids: NameTable { NameTable(index: uuidsIndex, names: uuidsText) }
}

private let uuidsIndex: StaticString = ##"""
000100000 000200004 000300008 00040000f 000500013 00060001b 000700022 000800026 00090002b
000a0002e 000c00032 000e00037 000f0003b 001000040 001100045 001200052 001400069 00160007d
001700099 00190009f 001b000a5 001e000aa 001f000bf 0100000d1 1000000d7 1001000fc 100200120
110100131 11020013c 11030014e 110400161 11050016a 110600179 11070018c 11080019c 1109001a4
110a001b6 110b001c3 110c001ce 110d001e8 110e00204 110f00217 111000235 11110023e 111200242
111300258 11140025c 111500267 11160026c 111700270 111800273 111900282 111a00294 111b0029c
111c002ae 111d002c8 111e002e3 111f002ee 1120002fc 112100323 11220032f 11230033d 11240034c
112500350 112600369 112700373 11280037c 112d0038f 112e0039a 112f003b2 1130003ca 1131003e3
1132003f0 113300406 113400422 113500439 11360043e 11370044a 113800455 113900460 113a00471
113b0048d 113c00491 113d004a4 113e004bd 1200004de 1201004ed 120200500 120300514 120400522
120500533 120600540 130000550 130100561 130200572 130300582 13040058f 13050059a 1400005ad
1401005b1 1402005bc 1600005c5 1601005ea 160200615 16030063a 16040065a 160500679 16060069a
1800006bb 1801006ca 1802006dc 1803006ec 1804006f6 1805006ff 18060070c 180700722 180800732
18090073a 180a0074d 180d00760 180e0076b 180f0077e 181000786 181100795 1812007a8 1813007bf
1814007cf 1815007e9 1816007f7 181800811 18190081f 181a00837 181b0084d 181c0085e 181d00868
181e00875 181f00885 1820008a3 1821008bd 1822008d0 1823008df 1824008ea 1825008fe 18260090e
18270091e 182800930 18290093b 183a00956 183b00967 183c00975 183d0098d 183e009a3 183f009bd
1840009ca 1843009e0 1844009f4 184500a03 184600a19 184700a38 184800a44 184900a52 184a00a68
184b00a80 184c00a91 184d00aaa 184e00abd 184f00ad2 185000ae7 185100b04 185200b1d 185300b3a
185400b47 185500b56 185600b70 185700b8e 185800ba5 185900bb2 185a00bca 185b00be8 185c00bf0
185d00bf8 185e00c01 185f00c11 270000c29 270100c32 270200c41 270300c51 270400c5f 270500c79
270600c9c 270700cb7 271000cd4 271100ce9 271200cff 271300d1c 271400d45 271500d63 271600d86
271700db2 271800ddd 271900e07 271a00e32 271b00e5e 271c00e8c 271d00eb1 271e00ec2 272000ed8
272100eed 272200f05 272300f17 272400f26 272500f38 272600f47 272700f54 272800f6e 272900f93
272a00fa7 272b00fc1 272c00fe0 272d00ff6 272e01014 272f01027 27300104c 273101062 273201074
2733010a4 2734010b9 2735010d3 2740010ee 274101110 27420112f 274301152 274401177 2745011a8
2746011d2 2747011f3 274801226 27490124b 274a01278 274b0129f 274c012c8 274d012fa 274e0132c
274f0135d 27500137c 27510139b 2752013b9 2753013df 2754013ff 275501424 27560144b 275701476
2760014af 2761014bd 2762014c9 2763014d4 2764014e9 2765014fe 276601513 276701522 276801531
27800153e 27810154d 27820156e 278301582 278401599 2785015a5 2786015b5 2787015d8 27a0015f9
27a101607 27a201617 27a301625 27a401633 27a501641 27a601668 27a701686 27a80169f 27a9016c8
27aa016de 27ab016f8 27ac0170f 27ad0173d 27ae01748 27af01752 27b00176c 27b10178b 27b2017b2
27b3017d5 27b4017e1 27b5017ee 27b601814 27b701837 27b80185c 27b901869 27ba0187e 27bc01890
27bd018a4 27be018c0 27bf018e3 27c001900 27c10191d 27c201939 27c301958 27c401971 27c501983
27c601995 27c7019ce 27c801a00 27c901a28 280001a45 280101a55 280201a67 280301a6f 290001a7e
290101aa1 290201ac1 290301ae5 290401b09 290501b2c 290601b4c 290701b58 290801b72 290901b83
290a01b96 290b01bac 290c01bd0 290d01bf2 290e01c18 290f01c2d 291001c52 291101c67 291201c80
291301c98 291401cac 291501cbf 291601cd3 291701ce7 2a0001cff 2a0101d0b 2a0201d16 2a0301d2e
2a0401d43 2a0501d6e 2a0601d7e 2a0701d8a 2a0801d99 2a0901da3 2a0a01daf 2a0c01dbd 2a0d01dcc
2a0e01dd7 2a0f01de1 2a1101df8 2a1201e06 2a1301e14 2a1401e20 2a1601e3b 2a1701e55 2a1801e67
2a1901e7b 2a1c01e89 2a1d01ea1 2a1e01eb2 2a2101ecb 2a2201ee0 2a2301efb 2a2401f05 2a2501f19
2a2601f2e 2a2701f47 2a2801f60 2a2901f79 2a2a01f92 2a2b01fc6 2a2c01fd3 2a3101fe8 2a3201ff5
2a3302011 2a3402029 2a3502045 2a3602060 2a370207b 2a3802092 2a39020a7 2a3f020c0 2a40020cd
2a41020e2 2a42020f1 2a430210c 2a440211e 2a450213f 2a4602153 2a470215d 2a480217a 2a490219a
2a4a021b1 2a4b021c1 2a4c021cc 2a4d021de 2a4e021e5 2a4f021f3 2a5002208 2a510220f 2a520221f
2a530223b 2a540224b 2a5502257 2a5a02268 2a5b02272 2a5c02282 2a5d0228e 2a5e0229e 2a5f022b9
2a60022d4 2a63022e1 2a64022fb 2a6502310 2a6602326 2a6702342 2a6802355 2a6902360 2a6a02371
2a6b0237c 2a6c0238d 2a6d02397 2a6e023a0 2a6f023ac 2a70023b5 2a71023c5 2a72023d9 2a73023ed
2a7402405 2a7502411 2a7602426 2a770242f 2a780243a 2a7902443 2a7a0244e 2a7b02459 2a7d02463
2a7e0247c 2a7f0249b 2a80024ad 2a81024b1 2a82024d2 2a83024f3 2a8402507 2a8502526 2a8602534
2a8702551 2a880255f 2a890257f 2a8a0259f 2a8b025aa 2a8c025c6 2a8d025cd 2a8e025dc 2a8f025e3
2a90025f5 2a91025ff 2a920261e 2a9302631 2a9402661 2a950267e 2a9602699 2a97026a1 2a98026b5
2a99026bc 2a9a026d6 2a9b026e1 2a9c026fa 2a9d02717 2a9e0272a 2a9f0273f 2aa002752 2aa10276d
2aa202788 2aa302791 2aa4027ab 2aa5027c9 2aa6027e1 2aa7027fc 2aa80280c 2aa902818 2aaa02823
2aab0283a 2aac0284f 2aad0286e 2aae0288f 2aaf02898 2ab0028a2 2ab1028b9 2ab2028cf 2ab3028dc
2ab4028e5 2ab5028f1 2ab6028ff 2ab702903 2ab802910 2ab902921 2aba02932 2abb02945 2abc02954
2abd02966 2abe02972 2abf0297e 2ac00298a 2ac102996 2ac2029ab 2ac3029c0 2ac4029ca 2ac5029dc
2ac6029f8 2ac702a12 2ac802a25 2ac902a34 2aca02a54 2acb02a60 2acc02a72 2acd02a8a 2ace02a99
2acf02aac 2ad002abe 2ad102ad1 2ad202adc 2ad302aed 2ad402afd 2ad502b13 2ad602b2f 2ad702b50
2ad802b6b 2ad902b81 2ada02b9f 2adb02bb6 2adc02bd0 2add02beb 2ade02bfe 2ae002c12 2ae102c22
2ae202c32 2ae302c3a 2ae402c5c 2ae502c75 2ae602c98 2ae702caf 2ae802cd3 2ae902cdf 2aea02cfc
2aeb02d05 2aec02d0e 2aed02d1b 2aee02d24 2aef02d35 2af002d4c 2af102d6b 2af202d87 2af302d8e
2af402da8 2af502db9 2af602dc9 2af702dd9 2af802de9 2af902df8 2afa02e06 2afb02e1f 2afc02e2b
2afd02e3d 2afe02e4d 2aff02e5f 2b0002e6d 2b0102e81 2b0202e94 2b0302e9e 2b0402eb2 2b0502ebf
2b0602ec5 2b0702ed9 2b0802efd 2b0902f27 2b0a02f49 2b0b02f70 2b0c02f92 2b0d02fb8 2b0e02fc6
2b0f02fe7 2b1003000 2b1103012 2b1203029 2b1303039 2b140304c 2b1503059 2b160306d 2b170307c
2b180308a 2b1903092 2b1a030a8 2b1b030bb 2b1c030c7 2b1d030df 2b1e030ea 2b1f030f6 2b200311f
2b2103132 2b220313d 2b2303155 2b2403162 2b2503182 2b260319c 2b27031ad 2b28031cd 2b29031de
2b2a031f8 2b2b03206 2b2c03218 2b2d03225 2b2e03232 2b2f03241 2b300324c 2b3103258 2b320326c
2b3303282 2b3403294 2b35032b8 2b36032dc 2b37032f2 2b3803302 2b3903317 2b3a0332a 2b3b03344
2b3c03367 2b3d0338b 2b3e033a9 2b3f033d7 2b40033ff 2b4103422 2b4203444 2b4303460 2b4403488
2b45034aa 2b46034cf 2b47034df 2b48034f6 2b4903502 2b4a03510 2b4b0351b 2b4c03533 2b4d0354f
2b4e03571 2b4f0357f 2b500359f 2b51035ae 2b77035b8 2b78035ca 2b79035e2 2b7a035f3 2b7b03606
2b7c03620 2b7d03638 2b7e03645 2b7f0365a 2b8003667 2b810367b 2b820368a 2b83036a6 2b84036bf
2b85036da 2b86036ef 2b87036ff 2b880370f 2b890372b 2b8a0373e 2b8b0374d 2b8c03766 2b8d03788
2b8e0379c 2b8f037b0 2b90037c7 2b91037d3 2b92037ed 2b9303802 2b9403814 2b9503830 2b9603846
2b9703854 2b9803860 2b990386f 2b9a0387e 2b9b0388d 2b9c0389b 2b9d038bc 2b9e038d4 2b9f038e9
2ba003900 2ba103918 2ba203926 2ba30393f 2ba40394b 2ba50395f 2ba603985 2ba70399e 2ba8039b3
2ba9039bd 2baa039cf 2bab039dd 2bac039e3 2bad039e9 2bae03a08 2baf03a3b 2bb003a76 2bb103aac
2bb203ad9 2bb303b01 2bb403b16 2bb503b21 2bb603b33 2bb703b55 2bb803b6c 2bb903b96 2bba03bb0
2bbb03bc3 2bbc03bd0 2bbd03bf0 2bbe03bfb 2bbf03c0e 2bc003c32 2bc103c45 2bc203c53 2bc303c66
2bc403c6b 2bc503c74 2bc603c7f 2bc703c91 2bc803cb4 2bc903ccc 2bca03cd5 2bcb03cea 2bcc03cf5
2bcd03d0c 2bce03d25 2bcf03d3e 2bd003d54 2bd103d72 2bd203d88 2bd303da7 2bd403ddc 2bd503df0
2bd603e17 2bd703e40 2bd803e68 2bd903e85 2bda03ea7 2bdb03ebc 2bdc03edd 2bdd03ef1 2bde03f0c
2bdf03f1c 2be003f2d 2be103f3a 2be203f4d 2be303f5a 2be403f6c 2be503f72 2be603fab 2be703fba
2be803fcc 2be903fde 2bea03ff6 2beb0400c 2bec04027 2bed0403b 2bee04050 2bef04064 2bf00407b
2bf104091 2bf2040ae 2bf3040bb 2bf4040d2 2bf5040e4 2bf6040fc 2bf704108 2bf80411d 2bf904137
2bfa04151 2bfb04169 2bfc0417f 2bfd04196 2bfe041aa 2bff041bc 2c00041d4 2c01041de 2c02041eb
2c03041f8 2c0404205 2c0504212 2c0604225 2c0704232 2c0804238 2c0904248 2c0a04259 2c0b04260
2c0c04267 2c0d04272 2c0e04290 2c0f0429f 2c10042af 2c11042bf 2c12042d2 2c13042de 2c14042f2
2c15042ff 2c1604316 2c170432d 2c180433f 2c1904352 2c1a0436b 2c1b04380 2c1c0438b 2c1d0439a
2c1e043ac 2c1f043c6 2c20043e4 2c21043f7 2c220440b 2c230441c 2c240442f 2c2504445 2c260445a
2c2704469 2c280447b 2c290448f 2c2a044a9 2c2b044d1 2c2c044f8 2c2d0450d 2c2e04527 2c2f0453b
2c3004558 2c3104572 2c3204587 2c330459c 2c34045c2 2c35045d5 2c36045f3 2c3704610 2c3804634
fc3904657 fc3a0466c fc3b04679 fc3c04683 fc3d046a2 fc3e046b2 fc3f046bd fc41046d6 fc43046e3
fc44046fe fc450470a fc460472a fc4704731 fc4804756 fc490475f fc4a0476d fc4b04785 fc4c04793
fc4d0479b fc4e047b4 fc4f047cd fc50047db fc51047ef fc5204803 fc5304817 fc540482d fc5504861
fc5604875 fc5704880 fc5804892 fc59048b8 fc5a048cc fc5b048db fc5c048f4 fc5d04921 fc5e04944
fc5f04957 fc6004967 fc6104982 fc6204990 fc630499e fc64049b2 fc65049c6 fc66049dd fc67049e9
fc6804a18 fc6904a23 fc6a04a38 fc6b04a42 fc6c04a4c fc6d04a5b fc6e04a75 fc6f04a7d fc7004a8d
fc7104aa7 fc7204ac1 fc7304acd fc7404ad8 fc7504ae4 fc7604af0 fc7704b0b fc7804b37 fc7904b3b
fc7a04b4f fc7b04b6e fc7c04b82 fc7d04b99 fc7e04ba5 fc7f04bba fc8004bc2 fc8104be7 fc8204bfd
fc8304c09 fc8404c1c fc8504c40 fc8604c64 fc8704c7a fc8804c90 fc8904ca0 fc8a04cb2 fc8b04cc4
fc8c04ce5 fc8d04cf1 fc8e04cfc fc8f04d11 fc9004d22 fc9104d2e fc9204d4c fc9304d66 fc9404d73
fc9504d7e fc9604d97 fc9704da7 fc9804dba fc9904dd1 fc9a04dde fc9b04de8 fc9d04e06 fc9e04e22
fc9f04e3c fca004e58 fca104e63 fca204e7f fca304e9a fca404ead fca504eb5 fca604ece fca704ee2
fca804ef6 fca904f05 fcaa04f14 fcab04f22 fcac04f2d fcad04f38 fcae04f62 fcaf04f7c fcb004f8a
fcb104f9d fcb204fa8 fcb304fb3 fcb404fb9 fcb504fd4 fcb604fef fcb70500a fcb805017 fcb905025
fcba05045 fcbb05051 fcbc0506a fcbd0507f fcbe05093 fcbf050a7 fcc0050ce fcc1050da fcc2050f3
fcc30510f fcc405117 fcc50512e fcc605145 fcc705151 fcc805159 fcc90516d fcca05183 fccb05191
fccc0519b fccd051bc fcce051ce fccf051e0 fcd0051eb fcd1051fe fcd20521d fcd305233 fcd40524e
fcd50525f fcd605279 fcd705290 fcd8052a1 fcd9052b4 fcda052be fcdb052c6 fcdc052d2 fcdd052eb
fcde052f8 fcdf05305 fce005313 fce105333 fce20534a fce305364 fce405383 fce505399 fce6053af
fce7053c9 fce8053db fce9053ea fcea053fb fceb0540b fcec05412 fced05421 fcee05431 fcef05440
fcf005450 fcf105472 fcf20547d fcf305489 fcf405496 fcf50549f fcf6054c5 fcf7054da fcf8054f1
fcf905508 fcfa05520 fcfb05538 fcfc05558 fcfd05573 fcfe0558e fcff055ab fd00055b0 fd01055d7
fd02055f3 fd0305603 fd040560d fd0505618 fd0605634 fd0705640 fd080564c fd090566c fd0a05682
fd0b05694 fd0c056a6 fd0d056b5 fd0e056c0 fd0f056ce fd10056e2 fd11056f6 fd120570a fd130571e
fd140572f fd1505740 fd1605756 fd1705766 fd180577c fd1905792 fd1a057b1 fd1b057b7 fd1c057cb
fd1d057e0 fd1e057fd fd1f0580f fd2005812 fd2105821 fd220583f fd230585d fd2405882 fd25058b0
fd26058de fd27058ef fd2805915 fd2905926 fd2a0593e fd2b0594f fd2c05967 fd2d0597f fd2e0598b
fd2f059a2 fd30059b9 fd31059cc fd32059e0 fd33059f3 fd3405a03 fd3505a11 fd3605a2c fd3705a37
fd3805a46 fd3905a52 fd3a05a5c fd3b05a69 fd3c05a76 fd3d05a92 fd3e05ab7 fd3f05acd fd4005adb
fd4105ae7 fd4205af5 fd4305b0d fd4405b18 fd4505b23 fd4605b37 fd4705b41 fd4805b55 fd4905b6e
fd4a05b84 fd4b05b97 fd4c05bb5 fd4d05bcf fd4e05bde fd4f05bed fd5005c05 fd5105c33 fd5205c49
fd5305c5f fd5405c73 fd5505c96 fd5605cb0 fd5705cbb fd5805cd1 fd5905ce7 fd5a05d05 fd5b05d23
fd5c05d2f fd5d05d3c fd5e05d4d fd5f05d59 fd6005d7a fd6105d8e fd6205d98 fd6305da3 fd6405dae
fd6505db4 fd6605dbf fd6705dde fd6805df4 fd6905e09 fd6a05e26 fd6b05e2e fd6c05e3b fd6d05e59
fd6e05e6c fd6f05e7f fd7005e8b fd7105ebf fd7205ece fd7305ee8 fd7405eff fd7505f16 fd7605f2a
fd7705f3e fd7805f47 fd7905f50 fd7a05f59 fd7b05f62 fd7c05f72 fd7d05fa1 fd7e05fd0 fd7f05fee
fd8005ffb fd8106015 fd8206027 fd8306038 fd840604f fd850605a fd8606067 fd870606e fd8806079
fd8906089 fd8a06099 fd8b060b2 fd8c060c1 fd8d060cc fd8e060da fd90060ed fd9106121 fd9206130
fd9306161 fd940617d fd9506198 fd960619f fd97061aa fd98061ba fd99061da fd9a061e1 fd9b061ff
fd9c0621d fd9d0623b fd9e0624e fd9f06264 fda00627d fda106291 fda20629f fda3062ad fda4062bb
fda5062c9 fda6062dd fda706309 fda806335 fda90634a fdaa06360 fdab0636c fdac06378 fdad0638b
fdae063a5 fdaf063bf fdb0063ca fdb1063da fdb2063ea fdb306402 fdb40640d fdb506414 fdb606419
fdb70642a fdb80643c fdbb0644e fdbc06456 fdbd0645e fdbe06473 fdbf0648a fdc0064a1 fdc1064b0
fdc2064bf fdc3064f2 fdc406525 fdc50653d fdc60654c fdc706562 fdc806578 fdc906589 fdca065a3
fdcb065bd fdcc065c8 fdcd065db fdce06603 fdcf06627 fdd006639 fdd106656 fdd206673 fdd306684
fdd4066a5 fdd5066be fdd6066d3 fdd7066e6 fdd8066fd fdd90671d fdda0673d fddb06742 fddc06760
fddd06777 fdde06788 fddf0679f fde0067b4 fde1067bf fde2067d9 fde3067e4 fde4067f9 fde506809
fde606819 fde706835 fde806844 fde906856 fdea0686d fdeb0687a fdec06890 fded068a5 fdee068af
fdef068cd fdf0068e3 fdf1068ee fdf206900 fdf306920 fdf40692b fdf506943 fdf60695c fdf706967
fdf80696f fdf906977 fdfa0697c fdfb06991 fdfc069a6 fdfd069b0 fdfe069c3 fdff069d8 fe00069e3
fe01069fd fe0206a1b fe0306a2d fe0406a47 fe0506a60 fe0606a87 fe0706aa3 fe0806aaf fe0906ab9
fe0a06ac6 fe0b06ada fe0c06aee fe0d06aff fe0e06b10 fe0f06b1e fe1006b58 fe1106b73 fe1206b8a
fe1306b9f fe1406baa fe1506bcd fe1606be8 fe1706bf8 fe1806c16 fe1906c24 fe1a06c2f fe1b06c3d
fe1c06c4b fe1d06c5a fe1e06c7c fe1f06c90 fe2006cab fe2106cb3 fe2206cc4 fe2306cdd fe2406cf6
fe2506d06 fe2606d12 fe2706d1d fe2806d28 fe2906d36 fe2a06d49 fe2b06d5a fe2c06d69 fe2d06d74
fe2e06d88 fe2f06d91 fe3006da6 fe3106db4 fe3206dc2 fe3306dd1 fe3406de0 fe3506dee fe3606e0b
fe3906e28 fe3a06e4c fe3b06e70 fe3c06e83 fe3d06e8b fe3e06e96 fe3f06ea1 fe4006eb5 fe4106ecb
fe4206ee1 fe4306eea fe4406f04 fe4506f0f fe4606f1c fe4706f29 fe4806f38 fe4906f47 fe4a06f54
fe4b06f6f fe4c06fa9 fe4d06fb7 fe4e06fcf fe4f06fda fe5006fe9 fe5106ff4 fe5206ff9 fe530700a
fe540700d fe5507019 fe5607024 fe570702f fe580703b fe5907054 fe5a0706d fe5b07085 fe5c07097
fe5d070ac fe5e070b9 fe5f070cc fe60070d8 fe6107104 fe620711e fe630712f fe6407144 fe650714f
fe660715e fe6707170 fe6807185 fe690719e fe6a071b7 fe6b071d9 fe6c071f3 fe6d0720d fe6e07225
fe6f0723d fe700724e fe7107279 fe720728a fe73072b3 fe74072dc fe75072e3 fe76072eb fe77072f3
fe780730b fe7907323 fe7a07336 fe7b07341 fe7c07352 fe7d07389 fe7e0739d fe7f073b1 fe80073bd
fe81073c9 fe82073d8 fe83073e7 fe84073f1 fe8507401 fe8607411 fe870742e fe880748b fe890749e
fe8a074ab fe8b074b7 fe8c074c3 fe8d074ce fe8e074dd fe8f074e5 fe90074e9 fe91074ee fe9207511
fe930752a fe9407533 fe950753c fe9607548 fe970755a fe980756c fe9907578 fe9a07584 fe9b0758d
fe9c075a3 fe9d075ba fe9e075d1 fe9f075f1 fea0075fc fea307607 fea407616 fea507628 fea607634
fea707640 fea807656 fea907669 feaa0767c feab07687 feac0768d fead07693 feae07699 feaf0769f
feb0076ad feb1076bb feb2076d8 feb3076ee feb4076f5 feb507703 feb607711 feb707721 feb807736
feb90774b feba0775a febb07773 febc07787 febd07792 febe077a6 febf077b7 fec0077c1 fec1077d2
fec2077e3 fec307801 fec40780e fec507824 fec607840 fec70784e fec80785a fec907866 feca07872
fecb0787e fecc0788a fecd07896 fece078a2 fecf078ae fed0078ba fed1078c6 fed2078d2 fed3078de
fed4078ea fed5078f6 fed607907 fed707910 fed807919 fed907924 feda07942 fedb0795a fedc07966
fedd0796e fede07976 fee007981 fee1079ae fee2079db fee3079e6 fee4079f1 fee507a0a fee607a23
fee707a31 fee807a4b fee907a59 feea07a67 feeb07a7c feec07a91 feed07a9c feee07aa7 feef07ab8
fef007ac9 fef107acf fef207ad3 fef307ad7 fef407ae2 fef507aed fef607b07 fef707b17 fef807b29
fef907b3b fefa07b48 fefb07b55 fefc07b8c fefd07b99 fefe07ba6 feff07bb5 ffef07bbf fff007bda
fff107bfc fff207c0d fff307c13 fff407c23 fff507c33 fff607c54 fff707c66 fff807c74 fff907c88
fffa07cb7 fffb07cc6 fffc07ce2 fffd07d00 fffe07d26
"""##

private let uuidsText: StaticString = ##"""
SDP
UDP
RFCOMM
TCP
TCS-BIN
TCS-AT
ATT
OBEX
IP
FTP
HTTP
WSP
BNEP
UPNP
HID Protocol
HardcopyControlChannel
HardcopyDataChannel
HardcopyNotificationChannel
AVCTP
AVDTP
CMTP
MCAP Control Channel
MCAP Data Channel
L2CAP
ServiceDiscoveryServerServiceClassID
BrowseGroupDescriptorServiceClassID
PublicBrowseRoot
SerialPort
LANAccessUsingPPP
Dial-Up Networking
IrMCSync
OBEXObjectPush
OBEX File Transfer
IrMCSyncCommand
Headset
CordlessTelephony
Audio Source
Audio Sink
A/V Remote Control Target
Advanced Audio Distribution
A/V Remote Control
A/V Remote Control Controller
Intercom
Fax
Headset Audio Gateway
WAP
WAP_CLIENT
PANU
NAP
GN
DirectPrinting
ReferencePrinting
Imaging
Imaging Responder
Imaging Automatic Archive
Imaging Referenced Objects
Hands-Free
AG Hands-Free
DirectPrintingReferencedObjectsService
ReflectedUI
BasicPrinting
PrintingStatus
HID
HardcopyCableReplacement
HCR_Print
HCR_Scan
Common_ISDN_Access
SIM Access
Phonebook Access Client
Phonebook Access Server
Phonebook Access Profile
Headset - HS
Message Access Server
Message Notification Server
Message Access Profile
GNSS
GNSS_Server
3D Display
3D Glasses
3D Synch Profile
Multi Profile Specification
MPS
CTN Access Service
CTN Notification Service
Calendar Tasks and Notes Profile
PnPInformation
Generic Networking
GenericFileTransfer
Generic Audio
GenericTelephony
UPNP_Service
UPNP_IP_Service
ESDP_UPNP_IP_PAN
ESDP_UPNP_IP_LAP
ESDP_UPNP_L2CAP
Video Source
Video Sink
Video Distribution
HDP
HDP Source
HDP Sink
Ambient Light Sensor NLC Profile 1.0
Basic Lightness Controller NLC Profile 1.0
Basic Scene Selector NLC Profile 1.0
Dimming Control NLC Profile 1.0
Energy Monitor NLC Profile 1.0
Occupancy Sensor NLC Profile 1.0
HVAC Integration NLC Profile 1.0
Generic Access
Generic Attribute
Immediate Alert
Link Loss
Tx Power
Current Time
Reference Time Update
Next DST Change
Glucose
Health Thermometer
Device Information
Heart Rate
Phone Alert Status
Battery
Blood Pressure
Alert Notification
Human Interface Device
Scan Parameters
Running Speed and Cadence
Automation IO
Cycling Speed and Cadence
Cycling Power
Location and Navigation
Environmental Sensing
Body Composition
User Data
Weight Scale
Bond Management
Continuous Glucose Monitoring
Internet Protocol Support
Indoor Positioning
Pulse Oximeter
HTTP Proxy
Transport Discovery
Object Transfer
Fitness Machine
Mesh Provisioning
Mesh Proxy
Reconnection Configuration
Insulin Delivery
Binary Sensor
Emergency Configuration
Authorization Control
Physical Activity Monitor
Elapsed Time
Generic Health Sensor
Audio Input Control
Volume Control
Volume Offset Control
Coordinated Set Identification
Device Time
Media Control
Generic Media Control
Constant Tone Extension
Telephone Bearer
Generic Telephone Bearer
Microphone Control
Audio Stream Control
Broadcast Audio Scan
Published Audio Capabilities
Basic Audio Announcement
Broadcast Audio Announcement
Common Audio
Hearing Access
Telephony and Media Audio
Public Broadcast Announcement
Electronic Shelf Label
Gaming Audio
Mesh Proxy Solicitation
Industrial Measurement Device
Ranging
HID ISO
Cookware
Voice Assistant
Generic Voice Assistant
unitless
length (metre)
mass (kilogram)
time (second)
electric current (ampere)
thermodynamic temperature (kelvin)
amount of substance (mole)
luminous intensity (candela)
area (square metres)
volume (cubic metres)
velocity (metres per second)
acceleration (metres per second squared)
wavenumber (reciprocal metre)
density (kilogram per cubic metre)
surface density (kilogram per square metre)
specific volume (cubic metre per kilogram)
current density (ampere per square metre)
magnetic field strength (ampere per metre)
amount concentration (mole per cubic metre)
mass concentration (kilogram per cubic metre)
luminance (candela per square metre)
refractive index
relative permeability
plane angle (radian)
solid angle (steradian)
frequency (hertz)
force (newton)
pressure (pascal)
energy (joule)
power (watt)
electric charge (coulomb)
electric potential difference (volt)
capacitance (farad)
electric resistance (ohm)
electric conductance (siemens)
magnetic flux (weber)
magnetic flux density (tesla)
inductance (henry)
Celsius temperature (degree Celsius)
luminous flux (lumen)
illuminance (lux)
activity referred to a radionuclide (becquerel)
absorbed dose (gray)
dose equivalent (sievert)
catalytic activity (katal)
dynamic viscosity (pascal second)
moment of force (newton metre)
surface tension (newton per metre)
angular velocity (radian per second)
angular acceleration (radian per second squared)
heat flux density (watt per square metre)
heat capacity (joule per kelvin)
specific heat capacity (joule per kilogram kelvin)
specific energy (joule per kilogram)
thermal conductivity (watt per metre kelvin)
energy density (joule per cubic metre)
electric field strength (volt per metre)
electric charge density (coulomb per cubic metre)
surface charge density (coulomb per square metre)
electric flux density (coulomb per square metre)
permittivity (farad per metre)
permeability (henry per metre)
molar energy (joule per mole)
molar entropy (joule per mole kelvin)
exposure (coulomb per kilogram)
absorbed dose rate (gray per second)
radiant intensity (watt per steradian)
radiance (watt per square metre steradian)
catalytic activity concentration (katal per cubic metre)
time (minute)
time (hour)
time (day)
plane angle (degree)
plane angle (minute)
plane angle (second)
area (hectare)
volume (litre)
mass (tonne)
pressure (bar)
pressure (millimetre of mercury)
length (ångström)
length (nautical mile)
area (barn)
velocity (knot)
logarithmic radio quantity (neper)
logarithmic radio quantity (bel)
length (yard)
length (parsec)
length (inch)
length (foot)
length (mile)
pressure (pound-force per square inch)
velocity (kilometre per hour)
velocity (mile per hour)
angular velocity (revolution per minute)
energy (gram calorie)
energy (kilogram calorie)
energy (kilowatt hour)
thermodynamic temperature (degree Fahrenheit)
percentage
per mille
period (beats per minute)
electric charge (ampere hours)
mass density (milligram per decilitre)
mass density (millimole per litre)
time (year)
time (month)
concentration (count per cubic metre)
irradiance (watt per square metre)
milliliter (per kilogram per minute)
mass (pound)
metabolic equivalent
step (per minute)
stroke (per minute)
pace (kilometre per minute)
luminous efficacy (lumen per watt)
luminous energy (lumen hour)
luminous exposure (lux hour)
mass flow (gram per second)
volume flow (litre per second)
sound pressure (decibel)
parts per million
parts per billion
mass density rate ((milligram per decilitre) per minute)
Electrical Apparent Energy (kilovolt ampere hour)
Electrical Apparent Power (volt ampere)
Gravity (g\textsubscript{n})
Primary Service
Secondary Service
Include
Characteristic
Characteristic Extended Properties
Characteristic User Description
Client Characteristic Configuration
Server Characteristic Configuration
Characteristic Presentation Format
Characteristic Aggregate Format
Valid Range
External Report Reference
Report Reference
Number of Digitals
Value Trigger Setting
Environmental Sensing Configuration
Environmental Sensing Measurement
Environmental Sensing Trigger Setting
Time Trigger Setting
Complete BR-EDR Transport Block Data
Observation Schedule
Valid Range and Accuracy
Measurement Description
Manufacturer Limits
Process Tolerances
IMD Trigger Setting
Cooking Sensor Info
Cooking Trigger Setting
Device Name
Appearance
Peripheral Privacy Flag
Reconnection Address
Peripheral Preferred Connection Parameters
Service Changed
Alert Level
Tx Power Level
Date Time
Day of Week
Day Date Time
Exact Time 256
DST Offset
Time Zone
Local Time Information
Time with DST
Time Accuracy
Time Source
Reference Time Information
Time Update Control Point
Time Update State
Glucose Measurement
Battery Level
Temperature Measurement
Temperature Type
Intermediate Temperature
Measurement Interval
Boot Keyboard Input Report
System ID
Model Number String
Serial Number String
Firmware Revision String
Hardware Revision String
Software Revision String
Manufacturer Name String
IEEE 11073-20601 Regulatory Certification Data List
Current Time
Magnetic Declination
Scan Refresh
Boot Keyboard Output Report
Boot Mouse Input Report
Glucose Measurement Context
Blood Pressure Measurement
Intermediate Cuff Pressure
Heart Rate Measurement
Body Sensor Location
Heart Rate Control Point
Alert Status
Ringer Control Point
Ringer Setting
Alert Category ID Bit Mask
Alert Category ID
Alert Notification Control Point
Unread Alert Status
New Alert
Supported New Alert Category
Supported Unread Alert Category
Blood Pressure Feature
HID Information
Report Map
HID Control Point
Report
Protocol Mode
Scan Interval Window
PnP ID
Glucose Feature
Record Access Control Point
RSC Measurement
RSC Feature
SC Control Point
Aggregate
CSC Measurement
CSC Feature
Sensor Location
PLX Spot-Check Measurement
PLX Continuous Measurement
PLX Features
Cycling Power Measurement
Cycling Power Vector
Cycling Power Feature
Cycling Power Control Point
Location and Speed
Navigation
Position Quality
LN Feature
LN Control Point
Elevation
Pressure
Temperature
Humidity
True Wind Speed
True Wind Direction
Apparent Wind Speed
Apparent Wind Direction
Gust Factor
Pollen Concentration
UV Index
Irradiance
Rainfall
Wind Chill
Heat Index
Dew Point
Descriptor Value Changed
Aerobic Heart Rate Lower Limit
Aerobic Threshold
Age
Anaerobic Heart Rate Lower Limit
Anaerobic Heart Rate Upper Limit
Anaerobic Threshold
Aerobic Heart Rate Upper Limit
Date of Birth
Date of Threshold Assessment
Email Address
Fat Burn Heart Rate Lower Limit
Fat Burn Heart Rate Upper Limit
First Name
Five Zone Heart Rate Limits
Gender
Heart Rate Max
Height
Hip Circumference
Last Name
Maximum Recommended Heart Rate
Resting Heart Rate
Sport Type for Aerobic and Anaerobic Thresholds
Three Zone Heart Rate Limits
Two Zone Heart Rate Limits
VO2 Max
Waist Circumference
Weight
Database Change Increment
User Index
Body Composition Feature
Body Composition Measurement
Weight Measurement
Weight Scale Feature
User Control Point
Magnetic Flux Density - 2D
Magnetic Flux Density - 3D
Language
Barometric Pressure Trend
Bond Management Control Point
Bond Management Feature
Central Address Resolution
CGM Measurement
CGM Feature
CGM Status
CGM Session Start Time
CGM Session Run Time
CGM Specific Ops Control Point
Indoor Positioning Configuration
Latitude
Longitude
Local North Coordinate
Local East Coordinate
Floor Number
Altitude
Uncertainty
Location Name
URI
HTTP Headers
HTTP Status Code
HTTP Entity Body
HTTP Control Point
HTTPS Security
TDS Control Point
OTS Feature
Object Name
Object Type
Object Size
Object First-Created
Object Last-Modified
Object ID
Object Properties
Object Action Control Point
Object List Control Point
Object List Filter
Object Changed
Resolvable Private Address Only
Unspecified
Directory Listing
Fitness Machine Feature
Treadmill Data
Cross Trainer Data
Step Climber Data
Stair Climber Data
Rower Data
Indoor Bike Data
Training Status
Supported Speed Range
Supported Inclination Range
Supported Resistance Level Range
Supported Heart Rate Range
Supported Power Range
Fitness Machine Control Point
Fitness Machine Status
Mesh Provisioning Data In
Mesh Provisioning Data Out
Mesh Proxy Data In
Mesh Proxy Data Out
Average Current
Average Voltage
Boolean
Chromatic Distance from Planckian
Chromaticity Coordinates
Chromaticity in CCT and Duv Values
Chromaticity Tolerance
CIE 13.3-1995 Color Rendering Index
Coefficient
Correlated Color Temperature
Count 16
Count 24
Country Code
Date UTC
Electric Current
Electric Current Range
Electric Current Specification
Electric Current Statistics
Energy
Energy in a Period of Day
Event Statistics
Fixed String 16
Fixed String 24
Fixed String 36
Fixed String 8
Generic Level
Global Trade Item Number
Illuminance
Luminous Efficacy
Luminous Energy
Luminous Exposure
Luminous Flux
Luminous Flux Range
Luminous Intensity
Mass Flow
Perceived Lightness
Percentage 8
Power
Power Specification
Relative Runtime in a Current Range
Relative Runtime in a Generic Level Range
Relative Value in a Voltage Range
Relative Value in an Illuminance Range
Relative Value in a Period of Day
Relative Value in a Temperature Range
Temperature 8
Temperature 8 in a Period of Day
Temperature 8 Statistics
Temperature Range
Temperature Statistics
Time Decihour 8
Time Exponential 8
Time Hour 24
Time Millisecond 24
Time Second 16
Time Second 8
Voltage
Voltage Specification
Voltage Statistics
Volume Flow
Chromaticity Coordinate
RC Feature
RC Settings
Reconnection Configuration Control Point
IDD Status Changed
IDD Status
IDD Annunciation Status
IDD Features
IDD Status Reader Control Point
IDD Command Control Point
IDD Command Data
IDD Record Access Control Point
IDD History Data
Client Supported Features
Database Hash
BSS Control Point
BSS Response
Emergency ID
Emergency Text
ACS Status
ACS Data In
ACS Data Out Notify
ACS Data Out Indicate
ACS Control Point
Enhanced Blood Pressure Measurement
Enhanced Intermediate Cuff Pressure
Blood Pressure Record
Registered User
BR-EDR Handover Data
Bluetooth SIG Data
Server Supported Features
Physical Activity Monitor Features
General Activity Instantaneous Data
General Activity Summary Data
CardioRespiratory Activity Instantaneous Data
CardioRespiratory Activity Summary Data
Step Counter Activity Summary Data
Sleep Activity Instantaneous Data
Sleep Activity Summary Data
Physical Activity Monitor Control Point
Physical Activity Current Session
Physical Activity Session Descriptor
Preferred Units
High Resolution Height
Middle Name
Stride Length
Handedness
Device Wearing Position
Four Zone Heart Rate Limits
High Intensity Exercise Threshold
Activity Goal
Sedentary Interval Notification
Caloric Intake
TMAP Role
Audio Input State
Gain Settings Attribute
Audio Input Type
Audio Input Status
Audio Input Control Point
Audio Input Description
Volume State
Volume Control Point
Volume Flags
Volume Offset State
Audio Location
Volume Offset Control Point
Audio Output Description
Set Identity Resolving Key
Coordinated Set Size
Set Member Lock
Set Member Rank
Encrypted Data Key Material
Apparent Energy 32
Apparent Power
Live Health Observations
CO\textsubscript{2} Concentration
Cosine of the Angle
Device Time Feature
Device Time Parameters
Device Time
Device Time Control Point
Time Change Log Data
Media Player Name
Media Player Icon Object ID
Media Player Icon URL
Track Changed
Track Title
Track Duration
Track Position
Playback Speed
Seeking Speed
Current Track Segments Object ID
Current Track Object ID
Next Track Object ID
Parent Group Object ID
Current Group Object ID
Playing Order
Playing Orders Supported
Media State
Media Control Point
Media Control Point Opcodes Supported
Search Results Object ID
Search Control Point
Energy 32
Media Player Icon
Track Segment
Track
Group
Constant Tone Extension Enable
Advertising Constant Tone Extension Minimum Length
Advertising Constant Tone Extension Minimum Transmit Count
Advertising Constant Tone Extension Transmit Duration
Advertising Constant Tone Extension Interval
Advertising Constant Tone Extension PHY
Bearer Provider Name
Bearer UCI
Bearer Technology
Bearer URI Schemes Supported List
Bearer Signal Strength
Bearer Signal Strength Reporting Interval
Bearer List Current Calls
Content Control ID
Status Flags
Incoming Call Target Bearer URI
Call State
Call Control Point
Call Control Point Optional Opcodes
Termination Reason
Incoming Call
Call Friendly Name
Mute
Sink ASE
Source ASE
ASE Control Point
Broadcast Audio Scan Control Point
Broadcast Receive State
Sink PAC
Sink Audio Locations
Source PAC
Source Audio Locations
Available Audio Contexts
Supported Audio Contexts
Ammonia Concentration
Carbon Monoxide Concentration
Methane Concentration
Nitrogen Dioxide Concentration
Non-Methane Volatile Organic Compounds Concentration
Ozone Concentration
Particulate Matter - PM1 Concentration
Particulate Matter - PM2.5 Concentration
Particulate Matter - PM10 Concentration
Sulfur Dioxide Concentration
Sulfur Hexafluoride Concentration
Hearing Aid Features
Hearing Aid Preset Control Point
Active Preset Index
Stored Health Observations
Fixed String 64
High Temperature
High Voltage
Light Distribution
Light Output
Light Source Type
Noise
Relative Runtime in a Correlated Color Temperature Range
Time Second 32
VOC Concentration
Voltage Frequency
Battery Critical Status
Battery Health Status
Battery Health Information
Battery Information
Battery Level Status
Battery Time Status
Estimated Service Date
Battery Energy Status
Observation Schedule Changed
Elapsed Time
Health Sensor Features
GHS Control Point
LE GATT Security Levels
ESL Address
AP Sync Key Material
ESL Response Key Material
ESL Current Absolute Time
ESL Display Information
ESL Image Information
ESL Sensor Information
ESL LED Information
ESL Control Point
UDI for Medical Devices
GMAP Role
UGG Features
UGT Features
BGS Features
BGR Features
Percentage 8 Steps
Acceleration
Force
Linear Position
Rotational Speed
Length
Torque
IMD Status
IMDS Descriptor Value Changed
First Use Date
Life Cycle Data
Work Cycle Data
Service Cycle Data
IMD Control
IMD Historical Data
RAS Features
Real-time Ranging Data
On-demand Ranging Data
RAS Control Point
Ranging Data Ready
Ranging Data Overwritten
Coordinated Set Name
Humidity 8
Illuminance 16
Acceleration - 3D
Precise Acceleration - 3D
Acceleration Detection Status
Door/Window Status
Pushbutton Status 8
Contact Status 8
HID ISO Properties
LE HID Operation Mode
Cookware Description
Recipe Control
Recipe Parameters
Cooking Step Status
Cooking Zone Capabilities
Cooking Zone Desired Cooking Conditions
Cooking Zone Actual Cooking Conditions
Cookware Sensor Data
Cookware Sensor Aggregate
Cooking Temperature
Cooking Zone Perceived Power
Kitchen Appliance Airflow
Voice Assistant Name
Voice Assistant UUID
Voice Assistant Service Control Point
Installed Location
Voice Assistant Session State
Voice Assistant Session Flag
Voice Assistant Supported Languages
Voice Assistant Supported Features
Harman International
C.O.B.O. SpA
BONX INC.
Eforthink Technology Co., Ltd.
Reelables, Inc.
Google LLC
Milwaukee Electric Tools
Yoto Limited
Atmosic Technologies, Inc.
Block, Inc.
Mitsubishi Electric Corporation
Xiaomi
Shanghai Ingeek Technology Co., Ltd.
Michelin
Golioth, Inc.
Shenzhen Shokz Co.,Ltd.
WinMagic Inc.
HP Inc.
Lodestar Technology Inc.
Lodestar Technology Inc.
WaveRF, Corp.
Ant Group Co., Ltd.
Ant Group Co., Ltd.
LG Electronics Inc.
LEGIC Identsystems AG
Shenzhen Yinwang Intelligent Technologies Co., Ltd.
BYD Company Limited
Google LLC
Ambient Life Inc.
Shenzhen Minew Technologies Co., Ltd.
Ant Group Co., Ltd.
LAST LOCK INC.
Time Location Systems AS
PLASTIC RESEARCH AND DEVELOPMENT CORPORATION
GP Acoustics International Limited
KUBU SMART LIMITED
PI-CRYSTAL INC.
Ohme Operations UK Limited
QIKCONNEX LLC
SPRiNTUS GmbH
Volvo Technology AB
Volvo Technology AB
Robor Electronics B.V.
Xiaomi Inc.
Guangdong Hengqin Xingtong Technology Co.,ltd.
RIGH, INC.
Harman International
Sonos Inc
Sonos Inc
Powerstick.com
MOTIVE TECHNOLOGIES, INC.
stryker
NextSense, Inc.
MOTIVE TECHNOLOGIES, INC.
Hive-Zox International SA
iodyne, LLC
Google LLC
EMBEINT INC
Xiaomi Inc.
Weber-Stephen Products LLC
SING SUN TECHNOLOGY (INTERNATIONAL) LIMITED
DHL
LG Electronics Inc.
Outshiny India Private Limited
Testo SE & Co. KGaA
Motorola Mobility, LLC
MML US, Inc
Harman International
Southco
TELE System Communications Pte. Ltd.
Axon Enterprise, Inc.
Zwift, Inc.
iHealth Labs, Inc.
NINGBO FOTILE KITCHENWARE CO., LTD.
Zhejiang Huanfu Technology Co., LTD
Samsara Networks, Inc
Samsara Networks, Inc
CCC del Uruguay
Intel Corporation
Intel Corporation
Kaspersky Lab Middle East FZ-LLC
VusionGroup
Caire Inc.
Blue Iris Labs, Inc.
Bose Corporation
Wiliot LTD.
Samsung Electronics Co., Ltd.
Furuno Electric Co., Ltd.
Komatsu Ltd.
Apple Inc.
Hippo Camp Software Ltd.
LEGO System A/S
Japan Display Inc.
Ruuvi Innovations Ltd.
Badger Meter
Koppli AB
Merry Electronics (S) Pte Ltd
Lenovo (Singapore) Pte Ltd.
Dell Computer Corporation
Delta Development Team, Inc
Apple Inc.
PF SCHWEISSTECHNOLOGIE GMBH
Meizu Technology Co., Ltd.
Gunnebo Aktiebolag
HP Inc.
HAYWARD INDUSTRIES, INC.
Hubble Network Inc.
Hubble Network Inc.
Medtronic Inc.
Medtronic Inc.
Spintly, Inc.
IRISS INC.
IRISS INC.
Beijing 99help Safety Technology Co., Ltd
Imagine Marketing Limited
AltoBeam Inc.
Ford Motor Company
Google LLC
Apple Inc.
SWEEN
OMRON HEALTHCARE Co., Ltd.
OMRON HEALTHCARE Co., Ltd.
OMRON HEALTHCARE Co., Ltd.
T-Mobile USA
Ribbiot, INC.
Lumi United Technology Co., Ltd
BlueID GmbH
SharkNinja Operating LLC
Drowsy Digital, Inc.
Toshiba Corporation
Musen Connect, Inc.
ASSA ABLOY Opening Solutions Sweden AB
Xiaomi Inc.
TIMECODE SYSTEMS LIMITED
Qualcomm Technologies, Inc.
HP Inc.
OMRON(DALIAN) CO,.LTD.
OMRON(DALIAN) CO,.LTD.
Wiliot LTD.
PB INC.
Allthenticate, Inc.
SkyHawke Technologies
Cosmed s.r.l.
TOTO LTD.
Wi-Fi Easy Connect Specification
Marshall Group AB
Luna Health, Inc.
Google LLC
Laerdal Medical AS
Shenzhen Benwei Media Co.,Ltd.
Allterco Robotics ltd
Fisher & Paykel Healthcare
OMRON HEALTHCARE
Nortek Security & Control
SWISSINNO SOLUTIONS AG
PowerPal Pty Ltd
Appex Factory S.L.
Huso, INC
Draeger
aconno GmbH
Amazon.com Services, LLC
Mobilaris AB
ARCTOP, INC.
NIO USA, Inc.
Akciju sabiedriba "SAF TEHNIKA"
Sony Group Corporation
Baracoda Daily Healthtech
Smith & Nephew Medical Limited
Samsara Networks, Inc
Samsara Networks, Inc
Guard RFID Solutions Inc.
TKH Security B.V.
ITT Industries
MindRhythm, Inc.
Chess Wise B.V.
Avi-On
Griffwerk GmbH
Workaround Gmbh
Velentium, LLC
Divesoft s.r.o.
Security Enhancement Systems, LLC
Google LLC
Bitwards Oy
Armatura LLC
Allegion
Trident Communication Technology, LLC
The Linux Foundation
Honor Device Co., Ltd.
Honor Device Co., Ltd.
Leupold & Stevens, Inc.
Leupold & Stevens, Inc.
Shenzhen Benwei Media Co., Ltd.
Barrot Technology Co.,Ltd.
Barrot Technology Co.,Ltd.
Sonova Consumer Hearing GmbH
701x
FUTEK Advanced Sensor Technology, Inc.
Sanvita Medical Corporation
LEGO System A/S
Quuppa Oy
Shure Inc.
Qualcomm Technologies, Inc.
RACE-AI LLC
Swedlock AB
Bull Group Incorporated Company
Cousins and Sears LLC
Luminostics, Inc.
Luminostics, Inc.
OSM HK Limited
Blecon Ltd
HerdDogg, Inc
AEON MOTOR CO.,LTD.
AEON MOTOR CO.,LTD.
AEON MOTOR CO.,LTD.
AEON MOTOR CO.,LTD.
BRG Sports, Inc.
BRG Sports, Inc.
Panasonic Corporation
Sensitech, Inc.
LEGIC Identsystems AG
LEGIC Identsystems AG
Smith & Nephew Medical Limited
CSIRO
Helios Sports, Inc.
Brady Worldwide Inc.
Samsung Electronics Co., Ltd
Plume Design Inc.
3M
GN Hearing A/S
Huawei Technologies Co., Ltd.
Huawei Technologies Co., Ltd.
DOM Sicherheitstechnik GmbH & Co. KG
GD Midea Air-Conditioning Equipment Co., Ltd.
GD Midea Air-Conditioning Equipment Co., Ltd.
Novo Nordisk A/S
Integrated Illumination Systems, Inc.
Julius Blum GmbH
Asahi Kasei Corporation
Sony Corporation
The Access Technologies
The Access Technologies
Xiaomi Inc.
Bitstrata Systems Inc.
Bitstrata Systems Inc.
Sesam Solutions BV
LG Electronics Inc.
Gemalto Holding BV
DashLogic, Inc.
Aerosens LLC.
Transsion Holdings Limited
Google LLC
TireCheck GmbH
Danfoss A/S
PREDIKTAS
Verkada Inc.
Verkada Inc.
Redline Communications Inc.
Woan Technology (Shenzhen) Co., Ltd.
Pure Watercraft, inc.
Cognosos, Inc
Beflex Inc.
Amazon Lab126
Globe (Jiangsu) Co.,Ltd
Apple Inc.
Apple Inc.
GB Solution co.,Ltd
Lemco IKE
Liberty Global Inc.
Geberit International AG
Panasonic Corporation
Sigma Elektro GmbH
Samsung Electronics Co., Ltd.
Adolf Wuerth GmbH & Co KG
70mai Co.,Ltd.
70mai Co.,Ltd.
SONITOR TECHNOLOGIES AS
Hangzhou Tuya Information Technology Co., Ltd
UTC Fire and Security
UTC Fire and Security
PCI Private Limited
Qingdao Haier Technology Co., Ltd.
Braveheart Wireless, Inc.
Resmed Ltd
Volvo Car Corporation
Volvo Car Corporation
Samsung Electronics Co., Ltd.
Samsung Electronics Co., Ltd.
V2SOFT INC.
React Mobile
maxon motor ltd.
Tapkey GmbH
Meta Platforms Technologies, LLC
Sercomm Corporation
Arendi AG
Google LLC
Google LLC
INRIA
Razer Inc.
Zebra Technologies Corporation
Montblanc Simplo GmbH
Ubique Innovation AG
Samsung Electronics Co., Ltd
Emerson
rapitag GmbH
Samsung Electronics Co., Ltd.
Sigma Elektro GmbH
Polidea sp. z o.o.
Apple, Inc.
GuangDong Oppo Mobile Telecommunications Corp., Ltd
GN Hearing A/S
Logitech International SA
BRControls Products BV
BRControls Products BV
Insulet Corporation
Insulet Corporation
Withings
Withings
Withings
Withings
WYZE LABS, INC.
Toshiba Information Systems(Japan) Corporation
Center for Advanced Research Wernher Von Braun
Samsung Electronics Co., Ltd.
Husqvarna AB
Phindex Technologies, Inc
CANDY HOUSE, Inc.
Sony Corporation
iNFORM Technology GmbH
Tile, Inc.
Husqvarna AB
Abbott
Google LLC
Urbanminded LTD
Urbanminded LTD
Signify Netherlands B.V.
Jigowatts Inc.
Google LLC
quip NYC Inc.
Motorola Solutions
Guangzhou SuperSound Information Technology Co.,Ltd
Groove X, Inc.
Qualcomm Technologies International, Ltd. (QTIL)
Bayerische Motoren Werke AG
Hewlett Packard Enterprise
Rigado
Google LLC
June Life, Inc.
Disney Worldwide Services, Inc.
ABB Oy
Huawei Technologies Co., Ltd.
Huawei Technologies Co., Ltd.
Huawei Technologies Co., Ltd.
Gastec Corporation
The Coca-Cola Company
VitalTech Affiliates LLC
Secugen Corporation
Groove X, Inc
Groove X, Inc
Inseego Corp.
Inseego Corp.
Neurostim OAB, Inc.
WWZN Information Technology Company Limited
WWZN Information Technology Company Limited
PSA Peugeot Citroën
Rhombus Systems, Inc.
Xiaomi Inc.
Xiaomi Inc.
Tentacle Sync GmbH
Houwa System Design, k.k.
Houwa System Design, k.k.
Wiliot LTD
Oura Health Ltd
Oura Health Ltd
Portable Multimedia Ltd
Audiodo AB
HP Inc
ECSG
GWA Hygiene GmbH
LivaNova USA Inc.
LivaNova USA Inc.
Profoto
Emerson
Clover Network, Inc.
California Things Inc.
California Things Inc.
Hunter Douglas
Hunter Douglas
Baidu Online Network Technology (Beijing) Co., Ltd
Baidu Online Network Technology (Beijing) Co., Ltd
Simavita (Aust) Pty Ltd
Automatic Labs
Eli Lilly and Company
Eli Lilly and Company
Hach – Danaher
Busch-Jaeger Elektro GmbH
Fortin Electronic Systems
Meggitt SA
Shoof Technologies
Qingping Technology (Beijing) Co., Ltd.
SENNHEISER electronic GmbH & Co. KG
Nalu Medical, Inc
Huawei Technologies Co., Ltd
Huawei Technologies Co., Ltd
Bose Corporation
FUBA Automotive Electronics GmbH
LX Solutions Pty Limited
Brompton Bicycle Ltd
Ministry of Supply
Copeland Cold Chain LP
Jiangsu Teranovo Tech Co., Ltd.
Jiangsu Teranovo Tech Co., Ltd.
MHCS
Samsung Electronics Co., Ltd.
4iiii Innovations Inc.
Arch Systems Inc
Noodle Technology Inc.
Harman International
John Deere
Fortin Electronic Systems
Google LLC
Abbott Diabetes Care
JUUL Labs, Inc.
SMK Corporation
Intelletto Technologies Inc
SECOM Co., LTD
Robert Bosch GmbH
Spacesaver Corporation
SeeScan, Inc
Syntronix Corporation
Mannkind Corporation
Pole Star
Huawei Technologies Co., Ltd.
ART AND PROGRAM, INC.
Google LLC
LAMPLIGHT Co.,Ltd
AMICCOM Electronics Corporation
Amersports
O. E. M. Controls, Inc.
Milwaukee Electric Tools
AIAIAI ApS
HP Inc.
Onvocal
INIA
Tandem Diabetes Care
Tandem Diabetes Care
Optrel AG
RecursiveSoft Inc.
ADHERIUM(NZ) LIMITED
OSRAM GmbH
Amazon.com Services, Inc.
Duracell U.S. Operations Inc.
Robert Bosch GmbH
Amazon.com Services, Inc.
Motorola Solutions, Inc.
CORE Transport Technologies NZ Limited
Qualcomm Technologies, Inc.
Sonos, Inc.
Microsoft
Pillsy, Inc.
ruwido austria gmbh
ruwido austria gmbh
Procter & Gamble
Procter & Gamble
Setec Pty Ltd
Signify Netherlands B.V. (formerly Philips Lighting B.V.)
LAPIS Technology Co., Ltd.
GMC-I Messtechnik GmbH
M-Way Solutions GmbH
Apple Inc.
Flextronics International USA Inc.
Amazon.com Services, Inc..
Footmarks, Inc.
Telit Wireless Solutions GmbH
Runtime, Inc.
Google LLC
Tyto Life LLC
Tyto Life LLC
NetMedia, Inc.
Illuminati Instrument Corporation
LAMPLIGHT Co., Ltd.
Garmin International, Inc.
Emerson
Bose Corporation
Zoll Medical Corporation
Zoll Medical Corporation
August Home Inc
Apple, Inc.
Google LLC
Google LLC
Ayla Networks
Gibson Innovations
DaisyWorks, Inc.
ITT Industries
Google LLC
LAMPLIGHT Co., Ltd.
ERi,Inc.
CRESCO Wireless, Inc
Volkswagen AG
Volkswagen AG
Pro-Mark, Inc.
CHIPOLO d.o.o.
SmallLoop LLC
HUAWEI Technologies Co., Ltd
HUAWEI Technologies Co., Ltd
TTS Tooltechnic Systems AG & Co. KG
TTS Tooltechnic Systems AG & Co. KG
Dolby Laboratories
alibaba
BD Medical
BD Medical
Friday Labs Limited
Inugo Systems Limited
Inugo Systems Limited
Nets A/S
Andreas Stihl AG & Co. KG
SK Telecom
Snapchat Inc
B&O Play A/S
General Motors
General Motors
SenionLab AB
OMRON HEALTHCARE Co., Ltd.
Signify Netherlands B.V. (formerly Philips Lighting B.V.)
Volkswagen AG
Casambi Technologies Oy
NTT docomo
Molekule, Inc.
Google LLC
SRAM
SetPoint Medical
3M
Motiv, Inc.
Google LLC
Google LLC
Dotted Labs
Nordic Semiconductor ASA
Nordic Semiconductor ASA
Cronologics Corporation
GT-tronics HK Ltd
million hunters GmbH
Grundfos A/S
Plastc Corporation
Eyefi, Inc.
Lierda Science & Technology Group Co., Ltd.
Logitech International SA
Indagem Tech LLC
Connected Yard, Inc.
Siemens AG
CHIPOLO d.o.o.
Intel Corporation
Lab Sensor Solutions
Capsle Technologies Inc.
Capsle Technologies Inc.
Kontakt Micro-Location Sp. z o.o.
TASER International, Inc.
TASER International, Inc.
The University of Tokyo
The University of Tokyo
LINE Corporation
Beijing Jingdong Century Trading Co., Ltd.
Plume Design Inc
Abbott (formerly St. Jude Medical, Inc.)
Abbott (formerly St. Jude Medical, Inc.)
unwire
TangoMe
TangoMe
Hewlett-Packard Company
Hewlett-Packard Company
Zebra Technologies
Bragi GmbH
Orion Labs, Inc.
Telit Wireless Solutions (Formerly Stollmann E+V GmbH)
Aterica Health Inc.
Awear Solutions Ltd
Doppler Lab
Doppler Lab
Medtronic Inc.
Medtronic Inc.
Blue Bite
RF Digital Corp
RF Digital Corp
HUAWEI Technologies Co., Ltd
Qingdao Yeelink Information Technology Co., Ltd. ( 青岛亿联客信息技术有限公司 )
SALTO SYSTEMS S.L.
B&O Play A/S
Apple, Inc.
Apple, Inc.
TRON Forum
Interaxon Inc.
ARM Ltd
CSR
JUMA
Shanghai Imilab Technology Co.,Ltd
Jarden Safety & Security
OttoQ In
OttoQ In
Xiaomi Inc.
Tesla Motors Inc.
Tesla Motors Inc.
Currant Inc
Currant Inc
Estimote
Samsara Networks, Inc
GSI Laboratories, Inc.
Mobiquity Networks Inc
Renesas Design Netherlands B.V.
Google LLC
Google LLC
ITT Industries
Paxton Access Ltd
GoPro, Inc.
GoPro, Inc.
UTC Fire and Security
Savant Systems LLC
Savant Systems LLC
Google LLC
Nokia
Nokia
Nokia
Nokia
Nest Labs Inc
Nest Labs Inc
Electronics Tomorrow Limited
Microsoft Corporation
Taobao
WiSilica Inc.
WiSilica Inc.
Vencer Co., Ltd
Meta Platforms, Inc.
Meta Platforms, Inc.
LG Electronics
Tencent Holdings Limited
adafruit industries
Dexcom Inc
Clover Network, Inc
Bose Corporation
Nod, Inc.
KDDI Corporation
KDDI Corporation
Blue Spark Technologies, Inc.
360fly, Inc.
PLUS Location Systems
Realtek Semiconductor Corp.
Kocomojo, LLC
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Plantronics Inc.
Broadcom
Broadcom
Google LLC
Pebble Technology Corporation
ISSC Technologies Corp.
Perka, Inc.
Jawbone
Jawbone
Coin, Inc.
Anhui Huami Information Technology Co., Ltd.
Anhui Huami Information Technology Co., Ltd.
Anki, Inc.
Anki, Inc.
Nordic Semiconductor ASA
Nordic Semiconductor ASA
Silvair, Inc.
Tencent Holdings Limited.
Quintic Corp.
Quintic Corp.
Swirl Networks, Inc.
Swirl Networks, Inc.
Tile, Inc.
Tile, Inc.
Polar Electro Oy
Polar Electro Oy
Intel
CSR
CSR
Google LLC
Google LLC
Dialog Semiconductor GmbH
Wicentric, Inc.
Aplix Corporation
Aplix Corporation
PayPal, Inc.
PayPal, Inc.
Telit Wireless Solutions (Formerly Stollmann E+V GmbH)
Gimbal, Inc.
Gimbal, Inc.
GN Hearing A/S
GN Netcom
Wi-Fi Direct Specification
Public Key Open Credential (PKOC)
ICCE Digital Key
Aliro
FiRa Consortium
FiRa Consortium
Car Connectivity Consortium, LLC
Matter Profile ID
Zigbee Direct
Mopria Alliance BLE
FIDO2 secure client-to-authenticator transport
ASTM Remote ID
Direct Thread Commissioning
Wireless Power Transfer (WPT)
Universal Second Factor Authenticator
Wireless Power Transfer

"""##
