"""The rules of the tree catch what they forbid and let pass what they allow."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import tree_rules


class TreeRules(unittest.TestCase):
    def fails(self, name, text):
        with tempfile.TemporaryDirectory() as root:
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                return tree_rules.main(root)

    def test_machine_names(self):
        for words in [("see /", "home/ada/notes"), ("file(/", "root/x.h)"), ("py", "pi.org/simple"),
                      ("cache.corp", ".internal"), ('"/', 'tmp/dl"')]:
            with self.subTest(words=words):
                self.assertTrue(self.fails("docs/page.md", "".join(words)))
        for words in [("build/release/", "work/x"), ("a/", "home/b"), ("at work / ", "home"),
                      ("${root}/", "work"), ("internal", " layout")]:
            with self.subTest(words=words):
                self.assertFalse(self.fails("docs/page.md", "".join(words)))

    def test_names_in_documents(self):
        self.assertTrue(self.fails("docs/architecture.md", "see `core/base/gone.h`"))
        self.assertFalse(self.fails("docs/architecture.md", "see `docs/architecture.md`, `core/base`"))

    def test_length(self):
        self.assertFalse(self.fails("core/base/a.cpp", "\n" * tree_rules.MOST_LINES))
        self.assertTrue(self.fails("core/base/a.cpp", "\n" * (tree_rules.MOST_LINES + 1)))

    def test_comments(self):
        for words in ("What", "Of"):
            self.assertTrue(self.fails("core/base/a.cpp", f"// {words} a file holds.\nint a;\n"))
            self.assertTrue(self.fails("core/base/a.h", f"int a;\n\n  // {words} a file.\nint b;\n"))
            self.assertFalse(self.fails("core/base/a.h", f"// A file.\n// {words} it holds\nint a;\n"))
            self.assertTrue(self.fails("python/a/b.py", f'"""{words} it does."""\n'))
            self.assertTrue(self.fails("python/a/b.py", f'def f():\n    """{words} it does."""\n'))
            self.assertTrue(self.fails("core/base/CMakeLists.txt", f"add(a)\n# {words} it needs.\n"))
            self.assertFalse(self.fails("core/base/CMakeLists.txt", f"# A file.\n# {words} it needs\n"))
        self.assertFalse(self.fails("core/base/a.h", "// Whatever a file holds.\nint a;\n"))

    def test_names_like_options(self):
        for name in ("docs/--help", "docs/-o/a.md"):
            self.assertTrue(self.fails(name, "text"))
        self.assertFalse(self.fails("docs/a-b--c.md", "text"))

    def test_json(self):
        self.assertTrue(self.fails("app/a.cpp", "auto j = nlohmann::json::parse(text);"))
        self.assertTrue(self.fails("core/run/a.cpp", "const Json j = Json::parse(text);"))
        self.assertFalse(self.fails("core/io/json_parse.cpp", "nlohmann::json::parse(text);"))
        self.assertFalse(self.fails("tests/app/a.cpp", "nlohmann::json::parse(text);"))
        self.assertFalse(self.fails("app/a.cpp", "nlohmann::json::parse_event_t event;"))


if __name__ == "__main__":
    unittest.main()
