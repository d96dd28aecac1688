# SPDX-License-Identifier: Apache-2.0
"""Reads generated kernels as objdump disassembles them."""

import functools
import re
import subprocess
from pathlib import Path

CALLEE_SAVED = ["rbx", "rbp", "r12", "r13", "r14", "r15"]

# Instructions whose first operand is not written.
READERS = {"cmp", "test", "bt", "push", "ptest", "vptest", "vucomiss", "vcomiss", "vtestps",
           "kortestw", "kortestb", "kortestd", "kortestq", "ktestw", "ktestb", "jmp", "nop",
           "prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw"}

ALIASES = {}  # name -> the 64-bit register that it is a part of
for letter in "abcd":
    ALIASES.update({name: f"r{letter}x" for name in
                    [f"r{letter}x", f"e{letter}x", f"{letter}x", f"{letter}l", f"{letter}h"]})
for name in ["si", "di", "bp", "sp"]:
    ALIASES.update({part: f"r{name}" for part in [f"r{name}", f"e{name}", name, f"{name}l"]})
for number in range(8, 16):
    ALIASES.update({f"r{number}{width}": f"r{number}" for width in ["", "d", "w", "b"]})

MEMORY_BYTES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32,
                "ZMMWORD": 64}

PREFIXES = (0x66, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x67)


def encoding_of(code):
    """That of an instruction, whose bytes are given in hexadecimal."""
    first = next((byte for byte in bytes.fromhex(code) if byte not in PREFIXES), 0)
    return {0x62: "evex", 0xc4: "vex", 0xc5: "vex"}.get(first, "legacy")


class Form:
    """What a line of objdump -M intel says, wherever it stands in the code."""

    def __init__(self, encoding, text):
        text = text.split("#")[0].strip()
        words = text.split(None, 1)
        while words and words[0] in ("rep", "repz", "repnz", "lock", "notrack", "data16", "cs", "{vex}"):
            words = words[1].split(None, 1) if len(words) > 1 else ["(bad)"]
        self.encoding, self.name = encoding, words[0]
        self.operands = split_operands(words[1]) if len(words) > 1 else []
        self.is_jump = self.name.startswith("j") or self.name == "call"
        # Where a direct jump leads; None for an indirect one.
        self.target = immediate(self.operands[0]) if self.operands else None
        # The operand that is written, without its mask; None if there is none.
        reads = self.name in READERS or self.is_jump or not self.operands
        self.written = None if reads else self.operands[0].split("{")[0]
        addresses = self.name != "lea" and not self.name.startswith("nop")
        self.memory = [Memory(operand, operand.split("{")[0] == self.written)
                       for operand in self.operands if addresses and is_memory(operand)]
        # The 64-bit registers that are written, and those that are written or address memory.
        self.changed = {ALIASES.get(operand) for operand in
                        [self.written, *self.operands[1:] * (self.name == "xchg")]} - {None}
        self.registers = self.changed.union(*(memory.registers for memory in self.memory))
        self.widens = bool(self.written) and self.written.startswith(("ymm", "zmm"))

    def frame(self):
        """The register that it makes point to the stack, if it does."""
        source = self.operands[-1] if self.operands else ""
        if (self.name == "mov" and source == "rsp"
                or self.name == "lea" and "rsp" in Memory(source).registers):
            return ALIASES.get(self.operands[0])
        return None

    def is_plain(self):
        """Has no part in the flow, the stack and callee-saved registers."""
        return not (self.is_jump or self.name in ("push", "pop", "ret", "vzeroupper")
                    or self.changed.intersection(["rsp", *CALLEE_SAVED])
                    or any(memory.segment or not memory.registers or "rsp" in memory.registers
                           for memory in self.memory))


class Kind:
    """What lines have in common that differ in numbers alone: lengths, offsets. `has_numbers`: those are
    of places on the stack, or in the code."""

    def __init__(self, encoding, text):
        self.form = Form(encoding, text)
        self.name, self.encoding, self.is_jump = self.form.name, encoding, self.form.is_jump
        self.registers, self.widens = self.form.registers, self.form.widens
        self.frame, self.is_plain = self.form.frame(), self.form.is_plain()
        self.has_numbers = self.is_jump or self.frame or "rsp" in self.registers
        self.constants = [memory for memory in self.form.memory if "rip" in memory.registers]


kind_of = functools.cache(Kind)
form_of = functools.lru_cache(1 << 17)(Form)


def address_of(line):
    return int(line[0][:-1], 16)


def end_of(line):
    return address_of(line) + len(line[1].split())


class Code:
    """The instructions of a kernel: `lines` (address, bytes, text), all in hexadecimal as objdump
    writes them, a kind for each, the addresses that jumps lead to, and where the code ends."""

    def __init__(self, section):
        self.lines, self.kinds, self.targets = [], [], set()
        furthest = 0
        for line in section.splitlines():
            parts = line.split("\t")
            if len(parts) != 3:
                continue
            address, code, text = parts
            kind = known_kinds.get(code[:2] + text) or kind_of_line(code, text)
            self.lines.append(parts)
            self.kinds.append(kind)
            if kind.is_jump and " 0x" in text:
                target = int(text.rpartition(" ")[2], 16)
                self.targets.add(target)
                furthest = max(furthest, target)
            if kind.name in ("ret", "jmp") and furthest <= address_of(parts):
                break
        self.end = end_of(self.lines[-1]) if self.lines else 0


known_kinds = {}  # first byte and text of a line -> its kind
MOST_KINDS = 1 << 20


def kind_of_line(code, text):
    plain_text = re.sub("0x[0-9a-f]+", "0x1", text.partition("#")[0].strip())
    kind = kind_of(encoding_of(code), plain_text)
    if int(code[:2], 16) not in PREFIXES:  # else the first byte does not tell the encoding
        if len(known_kinds) == MOST_KINDS:
            known_kinds.clear()
        known_kinds[code[:2] + text] = kind
    return kind


def disassemble(files):
    """File -> its code up to its constants, which follow the first ret or jmp that no jump before leads
    beyond."""
    if not files:
        return
    command = ["objdump", "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "intel"]
    run = subprocess.run([*command, *map(str, files)], stdout=subprocess.PIPE, text=True, check=True)
    before, *sections = run.stdout.split(":     file format binary\n")
    for section in sections:
        yield Path(before.rpartition("\n")[2]), Code(section)
        before = section


def split_operands(text):
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += letter in "[{"
        depth -= letter in "]}"
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    return parts + [current.strip()]


class Memory:
    """A memory operand: base, index, displacement, size in bytes."""

    def __init__(self, operand, is_written=False):
        self.is_written = is_written
        size = re.match(r"(\w+) (?:PTR|BCST)", operand)
        self.size = MEMORY_BYTES.get(size[1], 64) if size else 64
        self.segment = re.search(r"\b([cdefgs]s):", operand)
        inside = re.search(r"\[(.*)\]", operand)
        terms = re.findall(r"([+-]?)([^+-]+)", inside[1]) if inside else []
        self.registers = [term.split("*")[0] for _, term in terms if not term.startswith("0x")]
        self.displacement = sum((-1 if sign == "-" else 1) * int(term, 16)
                                for sign, term in terms if term.startswith("0x"))


def immediate(operand):
    """The value of a constant, signed; None if the operand is none."""
    match = re.fullmatch(r"0x([0-9a-f]+)", operand)
    if not match:
        return None
    value = int(match[1], 16)
    return value - (1 << 64) if value >= 1 << 63 else value


def is_memory(operand):
    return operand is not None and ("[" in operand or re.search(r"\b[cdefgs]s:0x", operand))
