"""The test that lints for Swift code share. Its module name does not start with `test_`, so that it is not run itself."""

import importlib.util
from pathlib import Path
from types import ModuleType


def load(name: str) -> ModuleType:
    """Loads a lint, whose file name has hyphens."""
    script = Path(__file__).resolve().parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class LintCases:
    """Lines that a lint reports and accepts, and files that it reads and leaves out."""

    lint: ModuleType
    wrong: tuple[str, ...]
    right: tuple[str, ...]
    read: set[str]
    left_out: set[str]

    def test_what_is_wrong_is_found(self) -> None:
        for line in self.wrong:
            self.assertEqual(len(self.lint.complaints(Path("A.swift"), line)), 1, line)

    def test_others_pass(self) -> None:
        for line in self.right:
            self.assertEqual(self.lint.complaints(Path("A.swift"), line), [], line)

    def test_the_source_is_looked_into(self) -> None:
        names = {path.name for path in self.lint.sources(self.lint.swift_sources.FOLDER)}
        self.assertLessEqual(self.read, names)
        self.assertFalse(self.left_out & names)
