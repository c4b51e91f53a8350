"""The rule of run paths catches relative folders and lets pass the fixed ones."""

import unittest

import linked_libraries


def section(path):
    return (" 0x0000000000000001 (NEEDED)  Shared library: [libc.so.6]\n"
            f" 0x000000000000000f (RPATH)   Library rpath: [{path}]\n")


class LinkedLibraries(unittest.TestCase):
    def test_relative_folders(self):
        for path, relative in [("$:/usr/lib", ["$"]), ("/usr/lib:", [""]), ("lib", ["lib"]),
                               ("./x:/y", ["./x"]), ("$ORIGINAL", ["$ORIGINAL"]),
                               ("$LIB/x", ["$LIB/x"]), ("/a:/b", []), ("$ORIGIN:/b", []),
                               ("$ORIGIN/../lib:${ORIGIN}/x", [])]:
            with self.subTest(path=path):
                self.assertEqual(linked_libraries.relative_folders(section(path)), relative)
        runpath = section("lib").replace("RPATH", "RUNPATH")
        self.assertEqual(linked_libraries.relative_folders(runpath), ["lib"])

    def test_needed(self):
        self.assertEqual(linked_libraries.needed_libraries(section("/a")), ["libc.so.6"])
        self.assertTrue(linked_libraries.FORBIDDEN.match("libtorch_cpu.so"))
        self.assertTrue(linked_libraries.INSIDE.match("libmbedcrypto.so.7"))
        self.assertFalse(linked_libraries.INSIDE.match("libc.so.6"))


if __name__ == "__main__":
    unittest.main()
