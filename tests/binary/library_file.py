# SPDX-License-Identifier: Apache-2.0
"""What the file of the shared library must be like: hardened by the linker and the compiler, without
instructions beyond x86-64's baseline, without traces of the folder in which it was built."""

import re
import subprocess

# Extensions of x86-64 (SSE2), by mnemonic. Every VEX or EVEX instruction begins with v, every one on
# mask registers with k. tzcnt is left out: compilers emit it as "rep bsf", which every processor
# executes and which gives the same for operands that are not zero.
EXTENSIONS = {
    "SSE3": "addsubp[sd] haddp[sd] hsubp[sd] lddqu movddup movshdup movsldup fisttp\\w* monitor mwait",
    "SSSE3": "pabs[bwd] phadds?[wd]w? phsubs?[wd]w? pmaddubsw pmulhrsw pshufb psign[bwd] palignr",
    "SSE4": "blendv?p[sd] pblend(vb|w) dpp[sd] extractps insertps movntdqa mpsadbw packusdw pcmpeqq"
            " pextr[bdq] pinsr[bdq] phminposuw p(max|min)(sb|sd|ud|uw) pmov[sz]x\\w\\w pmuldq pmulld"
            " ptest round[sp][sd] crc32\\w? pcmp[ei]str[im] pcmpgtq popcnt\\w?",
    "BMI, ADX": "andn bextr bls(i|r|msk) lzcnt\\w? mulx pdep pext rorx sarx shlx shrx adcx adox bzhi",
    "AES, SHA": "aes\\w+ pclmul\\w+ sha\\d\\w+ gf2p8\\w+",
    "others": "movbe\\w? cmpxchg16b lahf sahf rdrand rdseed rdpid rdtscp xsave\\w* xrstor\\w*"
              " prefetchwt?1? clflushopt clwb xbegin xend xabort xtest wrfsbase wrgsbase rdfsbase"
              " rdgsbase rdsspq incsspq serialize enqcmd\\w? movdir\\w+ tpause umwait umonitor t\\w+mm\\w*",
    "AVX, AVX-512": "v(?!err|erw)\\w+ k(mov|or|and|xor|not|add|shift|test|unpck)\\w+",
}
EXTENSION = re.compile("|".join(
    f"(?P<f{i}>{'|'.join(names.split())})" for i, names in enumerate(EXTENSIONS.values())))

# The section of functions that run beside kernels of AVX2 only, and what even these must not use.
AVX2_SECTION = "kiln_avx2"
BEYOND_AVX2 = re.compile(r"vfn?m(add|sub)\w+.*|k\w+.*|.*%zmm.*|.*%k[0-7].*|.*%[xy]mm(1[6-9]|2\d|3[01]).*")

# Detection of the processor reads which registers the system saves, once CPUID has said that it may.
DETECTION = re.compile(r"kiln::x64::.*(processor|saved_states|detect_features)")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def disassembly(library, objdump="objdump"):
    """The lines of objdump, which the following functions read."""
    return output_of(objdump, "-d", "-C", "-w", "--no-show-raw-insn", str(library)).splitlines()


def beyond_baseline(lines):
    """Lines "function: instruction (extension)" for each extension's use."""
    found, function, section, instructions = [], "", "", 0
    for line in lines:
        parts = line.split("\t")
        if len(parts) >= 2:
            instructions += 1
            words = parts[1].split()
            while words and words[0] in ("rep", "repz", "repnz", "lock", "notrack", "bnd", "data16"):
                words.pop(0)
            may_use_avx2 = section == AVX2_SECTION and not BEYOND_AVX2.fullmatch(" ".join(words))
            if words and (match := EXTENSION.fullmatch(words[0])) and not may_use_avx2:
                found.append(f"{function}: {parts[1].strip()} "
                             f"({list(EXTENSIONS)[int(match.lastgroup[1:])]})")
            elif words and words[0] == "xgetbv" and not DETECTION.search(function):
                found.append(f"{function}: xgetbv outside the detection of the processor")
        elif match := re.fullmatch(r"[0-9a-f]+ <(.*)>:", line):
            function = match[1]
        elif match := re.fullmatch(r"Disassembly of section (.*):", line):
            section = match[1]
    if instructions == 0:
        raise RuntimeError("no instructions")
    return found


def missing_hardening(library, readelf="readelf"):
    """What the file lacks of: no executable stack, tables of addresses read-only after loading, no
    relocations of code, no search path, stack protector, checked versions of the C library's
    functions."""
    headers = output_of(readelf, "-lW", str(library))
    dynamic = output_of(readelf, "-dW", str(library))
    symbols = output_of(readelf, "--dyn-syms", "-W", str(library))
    facts = {
        "a stack that is not executable": re.search(r"GNU_STACK .* RW ", headers),
        "no segment that is writable and executable": not re.search(r"LOAD .* RWE ", headers),
        "RELRO": "GNU_RELRO" in headers,
        "BIND_NOW": re.search(r"BIND_NOW|FLAGS.*NOW", dynamic),
        "no TEXTREL": "TEXTREL" not in dynamic,
        "no RPATH and no RUNPATH": not re.search(r"RPATH|RUNPATH", dynamic),
        "the stack protector": "__stack_chk_fail" in symbols,
        "_FORTIFY_SOURCE": re.search(r"__\w+_chk\b(?<!__stack_chk)", symbols),
    }
    return [fact for fact, holds in facts.items() if not holds]


def functions_without_endbr64(library, lines, nm="nm"):
    """Exported functions that do not begin with endbr64, the target of an indirect call."""
    addresses = {}
    for line in output_of(nm, "-D", "--defined-only", str(library)).splitlines():
        address, kind, name = line.split()
        if kind == "T":
            addresses[int(address, 16)] = name.split("@")[0]
    for line in lines:
        parts = line.split("\t")
        if len(parts) == 2 and parts[1].startswith("endbr64"):
            addresses.pop(int(parts[0].strip(" :"), 16), None)
    return sorted(addresses.values())


def registered_destructors(lines):
    """Functions that register the destructor of a static object to run when the process ends or the
    library is unloaded, or that of a thread-local object: glibc ends the process where it has no
    memory to note that one. The object that initializes the standard streams is left out: it comes with
    the header <iostream>."""
    registering, streams, function = {}, {}, ""
    for line in lines:
        if match := re.fullmatch(r"[0-9a-f]+ (<.*>):", line):
            function = match[1]
        elif re.search(r"\s(call|jmp) .*__cxa_(thread_)?atexit@plt", line):
            registering[function] = registering.get(function, 0) + 1
        elif re.search(r"\s(call|jmp) .*ios_base::Init::Init\(\)@plt", line):
            streams[function] = streams.get(function, 0) + 1
    return [name for name, count in registering.items() if count > streams.get(name, 0)]


def paths_inside(library, folder):
    """Whether the file names a folder."""
    with open(library, "rb") as file:
        return str(folder).encode() in file.read()
