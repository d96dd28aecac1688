# SPDX-License-Identifier: Apache-2.0
"""Checks generated kernels, as ONEDNN_JIT_DUMP writes them, by disassembly.

Of each kernel:
- it begins with endbr64, has one ret, and constants follow its last instruction, which is a ret or jmp
  that no jump of the kernel leads beyond;
- every jump leads to an instruction of the kernel; there are no calls;
- on every path to ret, rsp has its first value, rbx rbp r12-r15 hold what they held at the entry, and
  no upper halves of vector registers are in use (vzeroupper);
- stores go through a register, or to the kernel's own frame on the stack below the saved registers,
  to which the red zone belongs; a register that is known to point to the stack counts as rsp does;
- loads relative to rip read the kernel's constants;
- each instruction is in the table of instructions.tsv with a level that the kernel's level includes.

A path is followed by data flow: the state at an instruction is what holds on every path to it.
Kernels that differ in lengths and offsets only are followed once.
"""

import functools
import hashlib
import re
import subprocess
from pathlib import Path

# Each level includes those before it.
LEVELS = ["base", "avx2", "avx512_core", "avx512_core_bf16"]
CALLEE_SAVED = ["rbx", "rbp", "r12", "r13", "r14", "r15"]
RED_ZONE = 128  # bytes below rsp that a function without calls may use

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


class Form:
    """What a line of objdump -M intel says, wherever it stands in the code."""

    def __init__(self, first_byte, text):
        text = text.split("#")[0].strip()
        words = text.split(None, 1)
        while words and words[0] in ("rep", "repz", "repnz", "lock", "notrack", "data16", "cs"):
            words = words[1].split(None, 1) if len(words) > 1 else ["(bad)"]
        self.name = words[0]
        self.operands = split_operands(words[1]) if len(words) > 1 else []
        self.encoding = {0x62: "evex", 0xc4: "vex", 0xc5: "vex"}.get(first_byte, "legacy")
        # Where a direct jump leads; None for an indirect one.
        self.target = immediate(self.operands[0]) if self.operands else None
        # The operand that is written, without its mask; None if there is none.
        reads = self.name in READERS or self.name.startswith("j") or not self.operands
        self.written = None if reads else self.operands[0].split("{")[0]
        addresses = self.name != "lea" and not self.name.startswith("nop")
        self.memory = [Memory(operand, operand.split("{")[0] == self.written)
                       for operand in self.operands if addresses and is_memory(operand)]


form_of = functools.lru_cache(1 << 17)(Form)


class Instruction:
    """A form at an address."""

    def __init__(self, address, code, text):
        prefixes = (0x66, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x67)
        self.form = form_of(next((byte for byte in code if byte not in prefixes), 0), text)
        self.address, self.text, self.end = address, text, address + len(code)
        self.name, self.operands = self.form.name, self.form.operands


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


class State:
    """What holds before an instruction on every path to it."""

    def __init__(self, depth=0, saved=None, kept=frozenset(CALLEE_SAVED), wide=False, frames=None):
        self.depth = depth          # bytes that rsp lies below its value at the entry
        self.saved = saved or {}    # depth -> the register whose first value lies there
        self.kept = kept            # registers that hold what they held at the entry
        self.wide = wide            # upper halves of vector registers may be in use
        self.frames = frames or {}  # register -> (least, greatest) depth that it points to

    def __eq__(self, other):
        return vars(self) == vars(other)

    def joined(self, other):
        saved = dict(self.saved.items() & other.saved.items())
        frames = dict(self.frames.items() & other.frames.items())
        return State(self.depth, saved, self.kept & other.kept, self.wide or other.wide, frames)


class Checker:
    """Collects what is wrong with one kernel."""

    def __init__(self, code, level, table):
        self.size, self.level, self.table = len(code), level, table
        self.faults = []

    def fault(self, instruction, text):
        line = f"{instruction.address:#x}: {instruction.text}: {text}"
        if line not in self.faults:
            self.faults.append(line)

    def check(self, instructions):
        returns = sum(one.name == "ret" for one in instructions)
        if returns != 1:
            self.faults.append(f"{returns} times ret, should be once")
            return self.faults
        if instructions[0].name != "endbr64":
            self.fault(instructions[0], "the entry is no endbr64")
        for instruction in instructions:
            self.check_level(instruction)
        self.follow({one.address: one for one in instructions})
        return self.faults

    def check_level(self, one):
        row = self.table.get(one.name)
        needed = row and row.get("evex" if one.form.encoding == "evex" else "other")
        if not needed:
            self.fault(one, f"instructions.tsv has no {one.form.encoding} form of {one.name}")
        elif LEVELS.index(needed) > LEVELS.index(self.level):
            self.fault(one, f"needs {needed}; the kernel is for {self.level}")

    def follow(self, by_address):
        first = min(by_address)
        self.code_end = max(by_address[max(by_address)].end, first)
        states, waiting = {first: State()}, [first]
        while waiting:
            one = by_address[waiting.pop()]
            state = self.after(one, states[one.address])
            for successor in self.successors(one, by_address):
                old = states.get(successor)
                if old and old.depth != state.depth:
                    self.fault(one, "rsp differs between the paths that meet at the next")
                    continue
                new = old.joined(state) if old else state
                if old is None or new != old:
                    states[successor] = new
                    waiting.append(successor)

    def successors(self, one, by_address):
        if one.name == "ret":
            return []
        following = [] if one.name == "jmp" else [one.end]
        if one.name.startswith("j"):
            if one.form.target is None:
                self.fault(one, "is an indirect jump")
            else:
                following.append(one.form.target)
        for address in following:
            if address not in by_address:
                self.fault(one, "leads to what is no instruction of the kernel")
        return [address for address in following if address in by_address]

    def after(self, one, before):
        state = State(before.depth, dict(before.saved), before.kept, before.wide,
                      dict(before.frames))
        for memory in one.form.memory:
            self.check_memory(one, memory, state)
        if one.name == "push":
            state.depth += 8
            state.saved.pop(state.depth, None)
            if one.operands[0] in state.kept:
                state.saved[state.depth] = one.operands[0]
        elif one.name == "pop":
            value = state.saved.pop(state.depth, None)
            state.depth -= 8
            register = ALIASES.get(one.operands[0])
            state.frames.pop(register, None)
            state.kept = state.kept - {register} | ({register} if value == register else set())
        elif one.name == "ret":
            self.check_return(one, state)
        elif one.name == "vzeroupper":
            state.wide = False
        else:
            self.write_register(one, state)
        return state

    def write_register(self, one, state):
        written = [one.form.written]
        if one.name == "xchg":
            written.append(one.operands[1])
        for operand in written:
            if operand is None or is_memory(operand):
                continue
            register = ALIASES.get(operand)
            if register == "rsp":
                self.move_stack(one, state)
            elif register:
                self.move_frame(one, register, state)
            state.kept = state.kept - {register}
            state.wide |= operand.startswith(("ymm", "zmm"))

    def move_frame(self, one, register, state):
        """Keeps the depths that a register points to where they follow from rsp."""
        old, new = state.frames.pop(register, None), None
        source = one.operands[-1]
        change = immediate(source)
        if ALIASES.get(one.operands[0]) != one.operands[0]:
            return
        if one.name == "mov" and source == "rsp":
            new = state.depth, state.depth
        elif one.name == "lea" and Memory(source).registers == ["rsp"]:
            depth = state.depth - Memory(source).displacement
            new = depth, depth
        elif old and one.name in ("add", "sub") and change is not None:
            change = change if one.name == "sub" else -change
            new = old[0] + change, old[1] + change
        elif old and one.name == "and" and change is not None and change < 0:
            new = old[0], old[1] - change - 1
        if new:
            state.frames[register] = new

    def move_stack(self, one, state):
        change = immediate(one.operands[-1])
        if one.name not in ("add", "sub") or change is None:
            return self.fault(one, "changes rsp by an unknown value")
        state.depth += change if one.name == "sub" else -change
        for depth in [depth for depth in state.saved if depth > state.depth]:
            self.fault(one, "releases a saved register")
            del state.saved[depth]

    def check_memory(self, one, memory, state):
        if memory.segment and memory.segment[1] in ("fs", "gs"):
            self.fault(one, "uses a segment")
        if not memory.registers:
            self.fault(one, "has an absolute address")
        elif "rip" in memory.registers:
            at = one.end + memory.displacement
            if memory.is_written:
                self.fault(one, "stores relative to rip")
            elif at < self.code_end or at + memory.size > self.size:
                self.fault(one, "reads neither code's constants nor an operand")
        elif "rsp" in memory.registers or any(name in state.frames for name in memory.registers):
            self.check_stack(one, memory, state)

    def check_stack(self, one, memory, state):
        if len(memory.registers) != 1:
            return self.fault(one, "has an unknown place on the stack")
        least, greatest = state.frames.get(memory.registers[0], (state.depth, state.depth))
        high = greatest - memory.displacement  # depth of the operand's lowest byte, at most
        low = least - memory.displacement - memory.size
        if high > state.depth + RED_ZONE or low < 0:
            self.fault(one, "lies outside the kernel's frame")
        elif memory.is_written and any(low < depth and depth - 8 < high for depth in state.saved):
            self.fault(one, "overwrites a saved register")

    def check_return(self, one, state):
        if state.depth != 0:
            self.fault(one, f"rsp is {state.depth} bytes too low")
        changed = [register for register in CALLEE_SAVED if register not in state.kept]
        if changed:
            self.fault(one, "not restored: " + " ".join(changed))
        if state.wide:
            self.fault(one, "no vzeroupper after the use of wide vectors")


def read_table(path=Path(__file__).with_name("instructions.tsv")):
    table = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, other, evex = line.split("\t")
            table[name] = {"other": other if other != "-" else None,
                           "evex": evex if evex != "-" else None}
    return table


def disassemble(files):
    """File -> its lines (address, code in hex, text) up to its constants, which follow the first ret
    or jmp that no jump before leads beyond."""
    if not files:
        return
    command = ["objdump", "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "intel"]
    run = subprocess.run([*command, *map(str, files)], stdout=subprocess.PIPE, text=True, check=True)
    file, found, ended, furthest = None, [], False, 0
    for line in run.stdout.splitlines():
        parts = () if ended else line.split("\t")
        if len(parts) == 3:
            address, text = int(parts[0].strip(" :"), 16), parts[2].strip()
            found.append((address, parts[1].strip(), text))
            if text.startswith("j") and " 0x" in text:
                furthest = max(furthest, int(text.rpartition(" ")[2], 16))
            ended = furthest <= address and text.startswith(("ret", "jmp", "repz ret"))
        elif line.endswith("file format binary"):
            if file:
                yield file, found
            file, found, ended, furthest = Path(line.rpartition(":")[0]), [], False, 0
    if file:
        yield file, found


@functools.cache
def shape_of_line(first_byte, text, has_frames):
    """Its encoding and text, without numbers that no check looks at."""
    encoding = {"62": "evex", "c4": "vex", "c5": "vex"}.get(first_byte, "legacy")
    # Lengths, offsets in operands. Frames, constants and jumps are another matter.
    if not has_frames and not re.search(r"[re]sp|\bspl?\b|rip", text) and not text.startswith("j"):
        text = re.sub(r"0x[0-9a-f]+", "0x1", text)
    return encoding, text


def shape_of(lines, size):
    """Kernels of one shape pass or fail together: all that checks look at is in it."""
    index = {address: i for i, (address, _, _) in enumerate(lines)}
    end = lines[-1][0] + len(lines[-1][1].split())
    has_frames = any("rsp" in text and re.match(r"(mov|lea) .*,.*rsp", text) for _, _, text in lines)
    shape = []
    for address, code, text in lines:
        encoding, text = shape_of_line(code[:2], text, has_frames)
        if text.startswith("j"):
            name, _, target = text.partition(" ")
            target = int(target, 16) if target.strip().startswith("0x") else None
            text = f"{name} {index.get(target)}"
        elif "rip" in text:
            operand, _, target = text.partition("#")
            operand = re.sub(r"0x[0-9a-f]+", "0x1", operand)
            at = int(target, 16)
            text = f"{operand} {at >= end} {min(size - at, 64)}"
        shape.append(encoding + text)
    return hashlib.sha1("\n".join(shape).encode()).digest()


def level_of(name):
    """The level that a kernel's name ends with; None if the name has been cut."""
    match = re.search(r"_(avx2|avx512_core|avx512_core_bf16)(\.\d+\.bin)?$", name)
    return match[1] if match else None


passed = set()  # (level, shape) of kernels that passed in this process


def check_files(files, table=None, levels=None):
    """File -> what is wrong, for those with faults. `levels` gives levels of files with cut names."""
    table = table or read_table()
    wrong = {}
    for file, lines in disassemble(files):
        level = level_of(file.name) or (levels or {}).get(file)
        if not level:
            wrong[file] = ["its name has no level"]
            continue
        code = file.read_bytes()
        shape = (level, shape_of(lines, len(code))) if lines else None
        if shape in passed:
            continue
        instructions = [Instruction(address, bytes.fromhex(hexes), text)
                        for address, hexes, text in lines]
        faults = Checker(code, level, table).check(instructions)
        if faults:
            wrong[file] = faults
        else:
            passed.add(shape)
    return wrong
