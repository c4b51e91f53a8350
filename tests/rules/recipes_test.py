"""The rule of the recipes catches a list that is wrong, too long or not complete."""

import pathlib
import tempfile
import unittest

import recipes

PAGE = """## A workload
Example: `doubling`.

1. `core/a.h`: its name.
2. to 4. the three languages.

Where there is one: a preset (`core/presets.cpp`).
"""


class Recipes(unittest.TestCase):
    def found(self, page=PAGE, files=()):
        with tempfile.TemporaryDirectory() as root:
            texts = {recipes.PAGE: page, "core/a.h": "doubling", "core/presets.cpp": "doubling"}
            texts.update({name: "doubling" for name in recipes.LANGUAGES})
            texts.update(dict(files))
            for name, text in texts.items():
                path = pathlib.Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            lines = recipes.problems(pathlib.Path(root))
            return [line for line in lines if "there is no section" not in line]

    def test_a_true_page(self):
        self.assertEqual(self.found(), [])

    def test_a_missing_file(self):
        self.assertTrue(self.found(PAGE.replace("core/a.h", "core/b.h")))

    def test_a_file_that_does_not_name_the_example(self):
        self.assertTrue(self.found(files=[("core/a.h", "redoubling")]))

    def test_a_file_that_is_not_listed(self):
        self.assertTrue(self.found(files=[("core/c.cpp", "case Kind::doubling:")]))
        self.assertFalse(self.found(files=[("tests/c.cpp", "doubling")]))

    def test_a_list_that_is_too_long(self):
        self.assertTrue(self.found(PAGE.replace("2. to 4.", "2. to 8.")))

    def test_a_missing_section(self):
        with tempfile.TemporaryDirectory() as root:
            path = pathlib.Path(root) / recipes.PAGE
            path.parent.mkdir()
            path.write_text("", encoding="utf-8")
            self.assertEqual(len(list(recipes.problems(pathlib.Path(root)))), len(recipes.MOST))


if __name__ == "__main__":
    unittest.main()
