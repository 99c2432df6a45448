import PackagePlugin

/// Before each build, has a script write the Swift source that a target generates from other files.
///
/// The scripts leave an unchanged file alone, so nothing is compiled again for it.
@main
struct BuildSources: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
    switch target.name {
    case "gattscope":
      [command("write-build-facts.sh", [], "Noting commit and library versions", context)]
    case "ProfileFiles":
      [command("write-texts.sh", ["profiles"], "Copying the texts of Profiles", context)]
    case "Reports":
      [command("write-texts.sh", ["reports"], "Copying the JSON schema and the page", context)]
    default: []
    }
  }

  /// A script is run with its own arguments, then the package's folder and the one to write into.
  private func command(
    _ script: String, _ arguments: [String], _ name: String, _ context: PluginContext
  ) -> Command {
    let root = context.package.directoryURL
    let made = context.pluginWorkDirectoryURL.appending(path: "Made")
    let folders = [root, made].map { $0.path(percentEncoded: false) }
    return .prebuildCommand(
      displayName: name, executable: root.appending(path: "Scripts/\(script)"),
      arguments: arguments + folders, outputFilesDirectory: made)
  }
}
