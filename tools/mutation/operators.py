# SPDX-License-Identifier: MIT
"""Where a C file can be changed by one small mistake: places found by clang, texts changed by us."""

import random
from collections import namedtuple

from clang import cindex
from clang.cindex import CursorKind, TokenKind, TypeKind

Mutant = namedtuple("Mutant", "file start end operator before after")

BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = {"&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+", "&": "|", "|": "&", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=",
              "|=": "&=", "&=": "|="}
OTHER_CODE = {"EINVAL": "EIO", "PAPI_EINVAL": "PAPI_ENOEVNT"}
SYMMETRIC = ("strcmp", "strncmp", "memcmp", "assert")
INTEGERS = {TypeKind.BOOL, TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.UCHAR, TypeKind.SHORT,
            TypeKind.USHORT, TypeKind.INT, TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG,
            TypeKind.LONGLONG, TypeKind.ULONGLONG, TypeKind.ENUM}


class Places:
    """All mutants of one source file; texts that come out of macros are left alone."""

    def __init__(self, path, text):
        self.path, self.text, self.found = path, text, []

    def add(self, operator, start, end, after):
        before = self.text[start:end].decode()
        # Lines keep their numbers, so that only code differs.
        after += "\n" * (before.count("\n") - after.count("\n"))
        self.found.append(Mutant(self.path, start, end, operator, before, after))

    def extent(self, cursor):
        start, end = cursor.extent.start, cursor.extent.end
        here = start.file and end.file and start.file.name == end.file.name == self.path
        return (start.offset, end.offset) if here else None

    def whole(self, cursor):
        """The cursor's extent, if its text is its own and not a macro's."""
        extent = self.extent(cursor)
        if not extent:
            return None
        tokens = self.text[extent[0]:extent[1]]
        return extent if tokens.count(b"(") == tokens.count(b")") else None

    def between(self, left, right):
        """Offsets of the operator that stands between two operands, and its text."""
        a, b = self.extent(left), self.extent(right)
        if not a or not b or not a[1] <= b[0]:
            return None
        text = self.text[a[1]:b[0]]
        word = text.strip(b" \t\n()")
        start = a[1] + text.find(word)
        return (start, start + len(word), word.decode()) if word else None


def binary(places, cursor):
    children = list(cursor.get_children())
    at = places.between(*children) if len(children) == 2 else None
    if not at:
        return
    for name, table in (("comparison", BOUNDARY), ("logic", LOGIC), ("arithmetic", ARITHMETIC)):
        if at[2] in table:
            places.add(name, at[0], at[1], table[at[2]])


def condition(places, cursor):
    test = next(cursor.get_children(), None)
    extent = places.whole(test) if test else None
    if extent:
        places.add("negation", *extent, f"!({places.text[extent[0]:extent[1]].decode()})")


def statements(places, block):
    for child in block.get_children():
        extent = places.whole(child)
        if not extent:
            continue
        if child.kind == CursorKind.CALL_EXPR:
            places.add("call dropped", *extent, "(void)0")
        elif child.kind == CursorKind.COMPOUND_ASSIGNMENT_OPERATOR or (
                child.kind in (CursorKind.BINARY_OPERATOR, CursorKind.UNARY_OPERATOR)):
            places.add("statement dropped", *extent, "(void)0")
        elif child.kind in (CursorKind.BREAK_STMT, CursorKind.CONTINUE_STMT):
            places.add("statement dropped", *extent, "(void)0")


def returned(places, cursor):
    value = next(cursor.get_children(), None)
    extent = places.whole(value) if value else None
    kind = value.type.get_canonical().kind if value else None
    if extent and (kind in INTEGERS or kind == TypeKind.POINTER):
        if places.text[extent[0]:extent[1]] not in (b"0", b"NULL", b"false"):
            places.add("return value", *extent, "0")


def early_return(places, function):
    body = [c for c in function.get_children() if c.kind == CursorKind.COMPOUND_STMT]
    extent = places.extent(body[0]) if body else None
    kind = function.result_type.get_canonical().kind
    if not extent or places.text[extent[0]:extent[0] + 1] != b"{":
        return
    if kind == TypeKind.VOID:
        places.add("early return", extent[0], extent[0] + 1, "{ return;")
    elif kind in INTEGERS or kind == TypeKind.POINTER:
        places.add("early return", extent[0], extent[0] + 1, "{ return 0;")


def arguments(places, call):
    args = [] if call.spelling in SYMMETRIC else list(call.get_arguments())
    for left, right in zip(args, args[1:]):
        a, b = places.whole(left), places.whole(right)
        same = left.type.get_canonical().spelling == right.type.get_canonical().spelling
        if a and b and same and a[1] <= b[0]:
            first, second = places.text[a[0]:a[1]].decode(), places.text[b[0]:b[1]].decode()
            comma = places.text[a[1]:b[0]].decode()
            if first != second and comma.strip() == ",":
                places.add("arguments swapped", a[0], b[1], second + comma + first)


def number(places, token, rng):
    """One more, or one bit of what is written as bits."""
    text = token.spelling
    digits = text.rstrip("uUlL")
    suffix = text[len(digits):]
    start, end = token.extent.start.offset, token.extent.end.offset
    try:
        value = int(digits, 0) if digits.startswith(("0x", "0X")) else int(digits, 10)
    except ValueError:
        return
    if digits.startswith(("0x", "0X")):
        bit = rng.randrange(max(1, value.bit_length()))
        places.add("bit", start, end, f"0x{value ^ 1 << bit:x}{suffix}")
    else:
        places.add("constant", start, end, f"{value + 1}{suffix}")


def tokens(places, unit, rng):
    whole = cindex.SourceRange.from_locations(
        cindex.SourceLocation.from_offset(unit, unit.get_file(places.path), 0),
        cindex.SourceLocation.from_offset(unit, unit.get_file(places.path), len(places.text)))
    for token in unit.get_tokens(extent=whole):
        text = token.spelling
        start, end = token.extent.start.offset, token.extent.end.offset
        line = places.text[places.text.rfind(b"\n", 0, start) + 1:start]
        if token.kind == TokenKind.LITERAL and text[0].isdigit():
            if not line.lstrip().startswith((b"#if", b"#el")):
                number(places, token, rng)
        elif token.kind == TokenKind.IDENTIFIER and line.rstrip().endswith(b"-") and (
                text.startswith("E") and text[1:].isupper()):
            places.add("code", start, end, OTHER_CODE.get(text, "EINVAL"))
        elif token.kind == TokenKind.IDENTIFIER and text.startswith("PAPI_E") and (
                text[6:].isupper() and b"return" in line):
            places.add("code", start, end, OTHER_CODE.get(text, "PAPI_EINVAL"))


BINARY = (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)


def walk(places, cursor):
    for child in cursor.get_children():
        if cursor.kind == CursorKind.TRANSLATION_UNIT:
            where = child.location.file
            if not where or where.name != places.path:
                continue
        if child.kind in BINARY:
            binary(places, child)
        elif child.kind in (CursorKind.IF_STMT, CursorKind.CONDITIONAL_OPERATOR):
            condition(places, child)
        elif child.kind == CursorKind.RETURN_STMT:
            returned(places, child)
        elif child.kind == CursorKind.CALL_EXPR:
            arguments(places, child)
        elif child.kind == CursorKind.COMPOUND_STMT:
            statements(places, child)
        elif child.kind == CursorKind.FUNCTION_DECL:
            early_return(places, child)
        if child.kind in (CursorKind.IF_STMT, CursorKind.FOR_STMT, CursorKind.WHILE_STMT):
            statements(places, Tail(child))
        walk(places, child)


class Tail:
    """The statements that an if or a loop governs, without its condition."""

    def __init__(self, cursor):
        children = list(cursor.get_children())
        self.children = children[1:] if cursor.kind == CursorKind.IF_STMT else children[-1:]

    def get_children(self):
        return self.children


def mutants(path, flags, seed):
    """All mutants of the source file at path, and of the headers beside it that it includes."""
    unit = cindex.TranslationUnit.from_source(
        path, flags, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    errors = [d.spelling for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if errors:
        raise ValueError(f"{path}: clang does not parse it: {errors[0]}")
    files = [path] + sorted({i.include.name for i in unit.get_includes()
                             if not i.include.name.startswith("/")})
    found = []
    for name in files:
        with open(name, "rb") as file:
            places = Places(name, file.read())
        walk(places, unit.cursor)
        tokens(places, unit, random.Random(f"{seed} {name}"))
        found += places.found
    return list(dict.fromkeys(found))
