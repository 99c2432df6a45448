import PackagePlugin

/// Before each build, runs a script that writes the Swift source that a target generates from other
/// files.
///
/// The scripts leave an unchanged file alone, so it is not compiled again.
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

  /// Runs a script with its own arguments, then the package's folder and the output folder.
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
