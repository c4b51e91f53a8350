"""keep_icons.py FONT OUT SOURCE...: the icon font without the outlines of glyphs that no source shows.

An icon is in a source as the three bytes of its UTF-8, "\\xef\\x80\\x82". The outlines of all others become empty
where they lie: the font keeps its size and packs to a few percent of it. FONT is an OpenType font with CFF outlines
(OpenType 1.9, "cmap" format 4; Adobe Technical Note 5176).
"""

import pathlib
import re
import struct
import sys

ESCAPED = re.compile(r"\\xef\\x([89][0-9a-f]|a[0-3])\\x([89ab][0-9a-f])", re.IGNORECASE)  # U+F000 to U+F8FF
END = b"\x0e"  # endchar of a charstring


def icons_in(sources):
    found = set()
    for source in sources:
        text = pathlib.Path(source).read_text(encoding="utf-8")
        found |= {bytes((0xEF, int(one, 16), int(two, 16))).decode() for one, two in ESCAPED.findall(text)}
    return found


def tables_of(font):
    tables = {}
    for i in range(struct.unpack_from(">H", font, 4)[0]):
        tag, _, offset, length = struct.unpack_from(">4sIII", font, 12 + 16 * i)
        tables[tag] = (offset, length)
    return tables


def glyph_of(font, cmap, character):
    """By the segments of the first subtable of format 4; 0: the font has no such glyph."""
    code = ord(character)
    for i in range(struct.unpack_from(">H", font, cmap + 2)[0]):
        at = cmap + struct.unpack_from(">I", font, cmap + 4 + 8 * i + 4)[0]
        if struct.unpack_from(">H", font, at)[0] != 4:
            continue
        count = struct.unpack_from(">H", font, at + 6)[0] // 2
        ends, starts = at + 14, at + 16 + 2 * count
        deltas, ranges = starts + 2 * count, starts + 4 * count
        for segment in range(count):
            end, = struct.unpack_from(">H", font, ends + 2 * segment)
            start, = struct.unpack_from(">H", font, starts + 2 * segment)
            if not start <= code <= end:
                continue
            delta, = struct.unpack_from(">H", font, deltas + 2 * segment)
            place = ranges + 2 * segment
            offset, = struct.unpack_from(">H", font, place)
            if offset == 0:
                return (code + delta) & 0xFFFF
            glyph, = struct.unpack_from(">H", font, place + offset + 2 * (code - start))
            return (glyph + delta) & 0xFFFF if glyph else 0
    return 0


def index_at(font, at):
    """The (begin, end) of every item of an INDEX, and where it ends."""
    count, = struct.unpack_from(">H", font, at)
    if count == 0:
        return [], at + 2
    size = font[at + 2]
    offsets = [int.from_bytes(font[at + 3 + size * i:at + 3 + size * (i + 1)], "big") for i in range(count + 1)]
    base = at + 2 + size * (count + 1)
    return [(base + one, base + two) for one, two in zip(offsets, offsets[1:])], base + offsets[-1]


def charstrings_offset(dictionary):
    """Operator 17 of a Top DICT."""
    operands, at = [], 0
    while at < len(dictionary):
        byte = dictionary[at]
        if byte == 30:  # a real number ends with a half byte of 15
            at += 1
            while dictionary[at] & 0x0F != 15 and dictionary[at] >> 4 != 15:
                at += 1
            at += 1
        elif byte == 28:
            operands.append(struct.unpack_from(">h", dictionary, at + 1)[0])
            at += 3
        elif byte == 29:
            operands.append(struct.unpack_from(">i", dictionary, at + 1)[0])
            at += 5
        elif byte >= 251:
            operands.append(-(byte - 251) * 256 - dictionary[at + 1] - 108)
            at += 2
        elif byte >= 247:
            operands.append((byte - 247) * 256 + dictionary[at + 1] + 108)
            at += 2
        elif byte >= 32:
            operands.append(byte - 139)
            at += 1
        elif byte == 17:
            return operands[-1]
        else:
            operands = []
            at += 2 if byte == 12 else 1
    sys.exit("keep_icons.py: the font has no charstrings")


def kept(font, icons):
    tables = tables_of(font)
    cff = tables[b"CFF "][0]
    glyphs = {0}
    for icon in sorted(icons):
        glyph = glyph_of(font, tables[b"cmap"][0], icon)
        if glyph == 0:
            sys.exit(f"keep_icons.py: the font has no glyph for U+{ord(icon):04X}")
        glyphs.add(glyph)
    _, at = index_at(font, cff + font[cff + 2])
    top, _ = index_at(font, at)
    charstrings, _ = index_at(font, cff + charstrings_offset(font[top[0][0]:top[0][1]]))
    made = bytearray(font)
    for glyph, (begin, end) in enumerate(charstrings):
        if glyph not in glyphs and end > begin:
            made[begin:end] = END + bytes(end - begin - 1)
    offset, length = tables.get(b"GSUB", (0, 0))  # ligatures, of which Dear ImGui has none
    made[offset:offset + length] = bytes(length)
    return bytes(made)


if __name__ == "__main__":
    out, content = pathlib.Path(sys.argv[2]), kept(pathlib.Path(sys.argv[1]).read_bytes(), icons_in(sys.argv[3:]))
    if not out.exists() or out.read_bytes() != content:
        out.write_bytes(content)
