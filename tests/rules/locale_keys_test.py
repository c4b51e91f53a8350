"""The rule of the language files catches what it is there for."""

import json
import pathlib
import tempfile
import unittest

from locale_keys import faults


def tree(texts, source, folder="views"):
    root = pathlib.Path(tempfile.mkdtemp())
    (root / "assets/locale").mkdir(parents=True)
    (root / "assets/locale/en.json").write_text(json.dumps(texts))
    (root / folder).mkdir(parents=True)
    (root / folder / "a.cpp").write_text(source)
    return root


class LocaleKeys(unittest.TestCase):
    def found(self, texts, source, folder="views"):
        return " | ".join(faults(tree(texts, source, folder)))

    def test_accepts_what_is_whole(self):
        source = 'texts("menu.run"); key("menu.") + id; texts("menu.left", {{"n", count(x)}});'
        self.assertEqual("", self.found({"menu.run": "Run", "menu.left": "{n} left"}, source))

    def test_misses_a_key_of_a_known_area(self):
        self.assertIn("lacks menu.halt", self.found({"menu.run": "Run"},
                                                    'f("menu.run"); f("menu.halt");'))

    def test_misses_a_key_of_an_unknown_area_where_it_is_asked_for(self):
        self.assertIn("lacks panel.title", self.found({}, 'ui.texts("panel.title");'))
        self.assertIn("lacks panel.title", self.found({}, '(*texts_)("panel.title");'))

    def test_misses_texts_that_nothing_uses(self):
        self.assertIn("menu.run is never used", self.found({"menu.run": "Run"}, ""))

    def test_misses_a_beginning_without_keys(self):
        self.assertIn("no text begins with panel.",
                      self.found({}, 'texts(std::string("panel.") + id);'))

    def test_compares_arguments_with_placeholders(self):
        texts = {"menu.left": "{n} left"}
        self.assertIn("is given m, its text has n",
                      self.found(texts, 'texts("menu.left", {{"m", f(1)}});'))
        self.assertIn("is given m, n,",
                      self.found(texts, 'texts("menu.left", {{"m", "a"}, {"n", g(f(2))}});'))

    def test_leaves_file_names_alone(self):
        self.assertEqual("", self.found({"run.go": "Go"}, 'texts("run.go"); open("run.json");'))

    def test_takes_names_in_core_for_keys_only_where_they_are(self):
        texts = {"memory.peak": "Peak"}
        self.assertEqual("", self.found(texts, 'f("memory.peak"); g("memory.max");', "core"))

    def test_misses_a_sentence_without_a_key(self):
        for source in ('return base::fail("No such card");', 'return base::fail(name + " is no card");',
                       'base::Message{"No such card"};', 'Failure({.sentence = "No card"});',
                       'bench.problem.sentence = "No card";', 'problem.sentence += "; none";'):
            self.assertIn("views/a.cpp:2: this sentence has no key", self.found({}, "\n" + source))
        for source in ('return base::fail(error.what());', 'base::fail("")', 'base::Message{name};'):
            self.assertEqual("", self.found({}, source))
        english = 'return base::fail("--gpu takes a card");'
        self.assertEqual("", self.found({}, english, "app/commands"))


if __name__ == "__main__":
    unittest.main()
