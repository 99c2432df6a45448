import PackagePlugin

/// Has `Scripts/write-build-facts.sh` write what `--version` says of this build, before each build.
///
/// The script leaves its file alone where nothing has changed, so that nothing is compiled for it.
@main
struct BuildFacts: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
    let root = context.package.directoryURL
    let made = context.pluginWorkDirectoryURL.appending(path: "Made")
    return [
      .prebuildCommand(
        displayName: "Noting commit and library versions",
        executable: root.appending(path: "Scripts/write-build-facts.sh"),
        arguments: [root.path(percentEncoded: false), made.path(percentEncoded: false)],
        outputFilesDirectory: made)
    ]
  }
}
