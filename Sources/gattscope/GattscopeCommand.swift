import ArgumentParser

@main
struct GattscopeCommand: ParsableCommand {
}
