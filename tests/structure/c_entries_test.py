#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no exception can leave a function of the C interface: all that can throw in an
exported function is inside of guarded(). Outside it calls only functions that cannot throw, which
are other exported functions, functions of the same file that the same holds for, and those of
CANNOT_THROW.

Usage: c_entries_test.py [PROJECT_FOLDER]; exits with 1 after printing what is wrong.
"""

import re
import sys
import unittest
from pathlib import Path

PROJECT = Path(sys.argv.pop() if len(sys.argv) > 1 and Path(sys.argv[-1]).is_dir()
               else Path(__file__).resolve().parents[2])

GUARDS = ["guarded", "guarded_value", "create_normalization"]
# Functions of one file that call what they are given inside of guarded().
GUARDS_OF = {
    "src/common/memory/memory_desc_create.cpp": ["create"],
    "src/common/memory/memory_desc_transform.cpp": ["derive"],
}
# Words that precede a parenthesis and call nothing.
KEYWORDS = set("if for while switch return sizeof static_cast reinterpret_cast int unsigned "
               "constexpr noexcept defined catch alignof decltype".split())
# Functions that allocate nothing and throw nothing. Add one only after reading it.
CANNOT_THROW = set("""
    KILN_REQUIRE KILN_REQUIRE_AS KILN_REQUIRE_EXEC KILN_REQUIRE_POINTERS KILN_TRY answer give
    one_of are_given contains data_type_size byte_size is_any is_blocked is_host_scalar
    is_strided has_runtime_values has_known_shape handle_count same_device check
    fill_row_major_strides user_scratchpad_bytes arg_name is_eltwise_alg is_binary_alg
    check_shape handle set_handle set_scalar set_allocator set_fpmath kiln::format_tag_name
    cpu_runtime NAMED dim_t std::copy_n std::memcpy std::ranges::fill std::ranges::transform std::get_if
""".split())
# A method without arguments of an object that the caller passed, or of a part of it, is a getter.
GETTER = re.compile(r"(?:->|\.)\w+\(\s*\)")


def without_comments_and_texts(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def end_of(text, begin):
    """The position after the bracket that closes the one at `begin`."""
    pairs = {"(": ")", "{": "}"}
    depth = 0
    for at in range(begin, len(text)):
        if text[at] == text[begin]:
            depth += 1
        elif text[at] == pairs[text[begin]]:
            depth -= 1
            if depth == 0:
                return at + 1
    raise ValueError("a bracket is not closed")


def functions_of(text):
    """Name -> bodies of the functions that a file defines."""
    found = {}
    for head in re.finditer(r"^(?:[\w:<>,\*& ]+[ \*&])?(\w+)\(", text, re.MULTILINE):
        if head.group(1) in KEYWORDS:
            continue
        end = end_of(text, head.end() - 1)
        brace = re.match(r"\s*(?:const)?\s*(?:noexcept)?\s*(?:try)?\s*\{", text[end:])
        if brace:
            begin = end + brace.end() - 1
            found.setdefault(head.group(1), []).append(text[begin:end_of(text, begin)])
    return found


def without_guarded(body, guards):
    names = "|".join(guards)
    while guard := re.search(rf"\b(?:{names})(?:<\w+>)?\(", body):
        body = body[:guard.start()] + "GUARDED" + body[end_of(body, guard.end() - 1):]
    return body


def unguarded_calls(body, guards):
    body = GETTER.sub("", without_guarded(body, guards))
    # A constructor in braces is found by its type.
    calls = re.findall(r"([\w:]+)\s*(?:<[^<>()]*>)?\(", body)
    news = ["new"] if re.search(r"\bnew\b|make_unique|make_shared|std::string\b|std::vector\b",
                                body) else []
    return [c for c in calls if c not in KEYWORDS] + news


def exported():
    lines = (PROJECT / "tests/api/exported_functions.txt").read_text().splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


class CEntriesTest(unittest.TestCase):
    maxDiff = None

    def test_all_that_can_throw_is_guarded(self):
        entries, wrong, seen = exported(), [], set()
        for file in sorted((PROJECT / "src").rglob("*.cpp")):
            functions = functions_of(without_comments_and_texts(file.read_text()))
            guards = GUARDS + GUARDS_OF.get(file.relative_to(PROJECT).as_posix(), [])
            checked = set()

            def visit(name, path):
                for body in functions[name]:
                    for call in unguarded_calls(body, guards):
                        if call in entries or call in CANNOT_THROW:
                            continue
                        if call in functions:
                            if call not in checked:
                                checked.add(call)
                                visit(call, path + [call])
                            continue
                        wrong.append(f"{file.relative_to(PROJECT)}: {' -> '.join(path)} calls "
                                     f"{call} outside of guarded()")

            for name in sorted(entries & functions.keys()):
                seen.add(name)
                visit(name, [name])
        self.assertEqual([], wrong)
        # Those that a macro defines are in not_implemented.cpp.
        listed = (PROJECT / "src/common/operations/not_implemented.cpp").read_text()
        missing = [name for name in sorted(entries - seen) if f" {name}," not in listed]
        self.assertEqual([], missing)

    def test_no_thread_variable_has_a_destructor(self):
        """The C library ends the process where it has no memory to register one."""
        wrong = []
        for file in sorted((PROJECT / "src").rglob("*.?pp")):
            for line in without_comments_and_texts(file.read_text()).splitlines():
                is_trivial = re.search(
                    r"\bconstinit thread_local ([\w:]+ \*|(bool|char|int|size_t) )\w+(\[\w+\])? =", line)
                if re.search(r"\bthread_local\b", line) and not is_trivial:
                    wrong.append(f"{file.relative_to(PROJECT)}: {line.strip()}")
        self.assertEqual([], wrong)


if __name__ == "__main__":
    unittest.main()
