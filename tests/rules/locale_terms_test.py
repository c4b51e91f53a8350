"""The rule of the terms catches what it is there for."""

import json
import pathlib
import tempfile
import unittest

from locale_terms import faults

TERMS = {"terms": [{"english": "\\bslices?\\b", "word": {"zh-CN": "切片", "zh-TW": "切片"},
                    "never": {"zh-CN": ["片段"]}, "except": ["a.other"]}],
         "only": [{"word": {"zh-CN": "显存", "zh-TW": "顯示記憶體"}, "keys": ["card."]}]}


class LocaleTerms(unittest.TestCase):
    def found(self, english, chinese):
        root = pathlib.Path(tempfile.mkdtemp())
        folder = root / "assets/locale"
        folder.mkdir(parents=True)
        for name, texts in (("en", english), ("zh-CN", chinese), ("zh-TW", {}), ("terms", TERMS)):
            (folder / f"{name}.json").write_text(json.dumps(texts), encoding="utf-8")
        return " | ".join(one for one in faults(root) if one.startswith("zh-CN"))

    def test_accepts_the_word(self):
        self.assertEqual("", self.found({"a.b": "{n} slices"}, {"a.b": "{n} 个切片"}))
        self.assertEqual("", self.found({"a.other": "a slice"}, {"a.other": "一块"}))

    def test_misses_the_word(self):
        self.assertIn("a.b has no 切片", self.found({"a.b": "a slice"}, {"a.b": "一块"}))

    def test_finds_another_word(self):
        self.assertIn("a.b has 片段", self.found({"a.b": "parts"}, {"a.b": "片段"}))

    def test_a_word_stays_where_it_belongs(self):
        self.assertEqual("", self.found({"card.m": "memory"}, {"card.m": "显存"}))
        self.assertIn("a.b has 显存", self.found({"a.b": "memory"}, {"a.b": "显存"}))

    def test_raw_keys_and_missing_spaces(self):
        self.assertIn("raw key memory_limit",
                      self.found({"a.b": "memory_limit is 0"}, {"a.b": "memory_limit 为 0"}))
        self.assertIn("raw key pass", self.found({"a.b": "pass"}, {"a.b": "pass 为空"}))
        self.assertEqual("", self.found({"a.b": "d_model"}, {"a.b": "d_model 太大"}))
        self.assertIn("no space in 存2", self.found({"a.b": "2"}, {"a.b": "内存2"}))


if __name__ == "__main__":
    unittest.main()
