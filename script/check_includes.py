"""Says which headers use what they do not include, and fails if any does.

    python script/check_includes.py [--fix] [FOLDER...]     (evaluator ops record feed compare prove tools reports testing cli include)

A header includes the headers of the standard library and of Abseil that define what it names, and
those of ours that define the types it names; what another header happens to include does not count.
A type that is only declared (`class Plan;`) needs none. Names that two headers of ours define are
not looked at. --fix writes the missing lines; script/format puts them where they belong.
"""

import collections
import pathlib
import re
import sys

# What is looked for after std::, and where it comes from; of headers that define a name each,
# any one will do.
STANDARD = {
    "algorithm": "all_of any_of clamp copy copy_n count_if equal fill fill_n find find_if lower_bound max "
                 "max_element min min_element minmax none_of nth_element remove_if reverse rotate sort "
                 "stable_sort transform unique upper_bound",
    "array": "array",
    "atomic": "atomic",
    "bit": "bit_cast bit_width countr_zero countl_zero has_single_bit popcount endian",
    "chrono": "chrono",
    "cmath": "abs ceil exp floor fmod isfinite isinf isnan log log1p lround nearbyint pow round signbit "
             "sqrt tanh trunc",
    "complex": "complex",
    "condition_variable": "condition_variable",
    "cstddef": "byte nullptr_t ptrdiff_t",
    "cstring": "memcmp memcpy memmove memset strlen",
    "deque": "deque",
    "filesystem": "filesystem",
    "functional": "function hash less plus",
    "initializer_list": "initializer_list",
    "ios": "ios",
    "iterator": "back_inserter distance make_move_iterator",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "lock_guard mutex once_flag unique_lock",
    "numeric": "accumulate iota",
    "optional": "nullopt optional",
    "queue": "priority_queue queue",
    "random": "mt19937 mt19937_64",
    "ratio": "milli",
    "set": "multiset set",
    "source_location": "source_location",
    "string": "getline stod stoi string to_string",
    "thread": "thread",
    "tuple": "tie tuple",
    "type_traits": "conditional_t decay_t enable_if_t invoke_result_t is_base_of_v is_convertible_v "
                   "is_floating_point_v is_integral_v is_same_v is_signed_v is_unsigned_v "
                   "make_unsigned_t remove_const_t remove_cvref_t remove_reference_t true_type",
    "utility": "declval exchange forward index_sequence make_index_sequence move pair swap",
    "variant": "get_if holds_alternative monostate variant visit",
    "vector": "vector",
}
ABSEIL = {
    "absl/container/btree_map.h": "btree_map",
    "absl/container/btree_set.h": "btree_set",
    "absl/container/flat_hash_map.h": "flat_hash_map",
    "absl/container/flat_hash_set.h": "flat_hash_set",
    "absl/container/inlined_vector.h": "InlinedVector",
    "absl/container/node_hash_map.h": "node_hash_map",
    "absl/functional/any_invocable.h": "AnyInvocable",
    "absl/functional/function_ref.h": "FunctionRef",
    "absl/status/status.h": "AlreadyExistsError FailedPreconditionError InternalError "
                            "InvalidArgumentError NotFoundError OkStatus OutOfRangeError "
                            "ResourceExhaustedError Status StatusCode UnimplementedError",
    "absl/status/statusor.h": "StatusOr",
    "absl/strings/cord.h": "Cord",
    "absl/strings/str_cat.h": "AlphaNum StrAppend StrCat",
    "absl/strings/str_format.h": "StrFormat",
    "absl/strings/str_join.h": "StrJoin",
    "absl/strings/string_view.h": "string_view",
    "absl/synchronization/mutex.h": "Mutex MutexLock",
    "absl/types/span.h": "MakeConstSpan MakeSpan Span",
}
INTEGERS = re.compile(r"(?<![\w:.])(?:std::)?u?int(?:8|16|32|64)_t\b")
OWN_TYPE = re.compile(r"^(?:template <[^;{]*?>\s*)?(?:class|struct|enum(?: class)?)\s+(\w+)"
                      r"(?:\s+final)?(?:\s*:(?!:)[^;{]*)?\s*\{", re.M)
OWN_ALIAS = re.compile(r"^using (\w+) =", re.M)
# Names that a header declares, or gives a meaning of its own: members, template parameters.
DECLARED = re.compile(r"\b(?:class|struct|enum class|enum|typename|using|namespace|friend class) (\w+)")


def by_name(table):
    return {name: header for header, names in table.items() for name in names.split()}


STANDARD_NAMES = by_name(STANDARD)
ABSEIL_NAMES = by_name(ABSEIL)


def code_of(text):
    """Without comments, strings and what stands in macros' names of includes."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def types_of_headers(headers):
    """The name of each type -> the only header that defines it at the beginning of a line."""
    where = collections.defaultdict(set)
    for path, text in headers.items():
        code = code_of(text)
        for name in OWN_TYPE.findall(code) + OWN_ALIAS.findall(code):
            where[name].add(path)
    return {name: min(paths) for name, paths in where.items() if len(paths) == 1}


def missing_in(path, text, types):
    """Lines of includes that `path` lacks, with a name that each is for."""
    included = set(re.findall(r'^#include ([<"][^>"]+[>"])', text, re.M))
    code = code_of(re.sub(r"^#.*$", "", text, flags=re.M))
    wanted = {}
    for name in re.findall(r"\bstd::(\w+)", code):
        if name in STANDARD_NAMES:
            wanted.setdefault(f"<{STANDARD_NAMES[name]}>", f"std::{name}")
    for name in re.findall(r"\babsl::(\w+)", code):
        if name in ABSEIL_NAMES:
            wanted.setdefault(f'"{ABSEIL_NAMES[name]}"', f"absl::{name}")
    integer = INTEGERS.search(code)
    if integer:
        wanted.setdefault("<cstdint>", integer[0])
    declared = set(DECLARED.findall(code))
    for name in sorted(set(re.findall(r"(?<![\w:.>])(?:onnxcmp::)?([A-Z]\w+)\b(?!\()", code))):
        if types.get(name, path) != path and name not in declared:
            wanted.setdefault(f'"{types[name]}"', name)
    return {include: name for include, name in sorted(wanted.items()) if include not in included}


def with_includes(text, includes):
    """The text with these lines before the first include of their kind, or behind the last one."""
    for include in includes:
        line = f"#include {include}\n"
        same_kind = re.search(rf"^#include {include[0]}", text, re.M)
        others = list(re.finditer(r"^#include .*\n", text, re.M))
        if same_kind:
            text = text[:same_kind.start()] + line + text[same_kind.start():]
        elif others and include[0] == "<":
            text = text[:others[0].start()] + line + "\n" + text[others[0].start():]
        else:
            before = others[-1] if others else re.search(r"^#define \w+_H_\n", text, re.M)
            text = text[:before.end()] + "\n" + line + text[before.end():]
    return text


def main():
    arguments = sys.argv[1:]
    fix = "--fix" in arguments
    folders = [a for a in arguments if a != "--fix"] or ["evaluator", "ops", "record", "feed", "compare", "prove", "tools", "reports", "testing", "cli", "include"]
    root = pathlib.Path(__file__).resolve().parent.parent
    headers = {str(path.relative_to(root)): path.read_text(encoding="utf-8")
               for folder in ("evaluator", "ops", "record", "feed", "compare", "prove", "tools", "reports", "testing", "cli")
               for path in sorted((root / folder).rglob("*.h"))}
    types = types_of_headers(headers)
    found = 0
    for path, text in headers.items():
        if path.split("/")[0] not in folders:
            continue
        missing = missing_in(path, text, types)
        for include, name in missing.items():
            found += 1
            print(f"{path}: {name} without #include {include}")
        if fix and missing:
            (root / path).write_text(with_includes(text, missing), encoding="utf-8")
    if found and not fix:
        sys.exit(f"{found} includes are missing")


main()
