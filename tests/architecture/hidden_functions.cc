#include "tests/architecture/hidden_functions.h"

#include <re2/re2.h>

#include <set>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tests/architecture/house_counts.h"

namespace onnxcmp {
namespace {

using Names = std::set<std::string>;
using Texts = std::map<std::string, std::string>;  // by path

Names NamesIn(const std::string& code, const re2::RE2& expression) {
  const std::vector<std::string> found = Matches(code, expression);
  return {found.begin(), found.end()};
}

// The text in onnxcmp or its cli themselves, and in their unnamed namespaces, without bodies.
struct Declarations {
  std::string named;
  std::string unnamed;
};

Declarations DeclarationsOf(const std::string& code) {
  static const auto& opened = *new re2::RE2("\\bnamespace ?([\\w:]*) ?$");
  enum class Scope { kHouse, kUnnamed, kOther };
  std::vector<Scope> scopes;
  Declarations declarations;
  const auto is_in = [&](Scope scope) { return absl::c_linear_search(scopes, scope); };
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '{') {
      const size_t from = i < 60 ? 0 : i - 60;
      std::string name;
      Scope scope = Scope::kOther;
      if (re2::RE2::PartialMatch(code.substr(from, i - from), opened, &name)) {
        if (name.empty()) scope = Scope::kUnnamed;
        if (name == "onnxcmp" || name == "onnxcmp::cli") scope = Scope::kHouse;
      }
      scopes.push_back(scope);
    } else if (code[i] == '}') {
      if (!scopes.empty()) scopes.pop_back();
    } else if (!is_in(Scope::kOther)) {
      (is_in(Scope::kUnnamed) ? declarations.unnamed : declarations.named) += code[i];
    }
  }
  return declarations;
}

Names FunctionsIn(const std::string& declarations) {
  static const auto& function = *new re2::RE2("[\\w>&*] ([A-Z]\\w*) ?\\(");
  return NamesIn(declarations, function);
}

// Calls of functions without a scope before them: a qualified name is never hidden, nor is a
// member.
Names CallsIn(absl::string_view code) {
  static const auto& call = *new re2::RE2("\\b([A-Z]\\w*)\\(");
  Names names;
  re2::StringPiece rest(code.data(), code.size());
  re2::StringPiece name;
  while (re2::RE2::FindAndConsume(&rest, call, &name)) {
    const char before = name.data() == code.data() ? ' ' : name.data()[-1];
    if (before != '.' && before != '>' && before != ':') names.insert(std::string(name));
  }
  return names;
}

Names IncludesOf(const std::string& text) {
  static const auto& include = *new re2::RE2("#include \"([^\"]+)\"");
  return NamesIn(text, include);
}

absl::string_view RoomOf(absl::string_view path) { return path.substr(0, path.find('/')); }

}  // namespace

std::vector<HiddenFunction> HiddenFunctions(const Texts& code, const Texts& files) {
  std::map<std::string, Names> headers, hiders, callers;  // by function
  for (const auto& [path, text] : code) {
    const Declarations declarations = DeclarationsOf(text);
    if (absl::EndsWith(path, ".h")) {
      for (const std::string& name : FunctionsIn(declarations.named)) headers[name].insert(path);
      continue;
    }
    const Names own = FunctionsIn(declarations.unnamed);
    for (const std::string& name : own) hiders[name].insert(path);
    for (const std::string& name : CallsIn(text)) {
      if (!own.contains(name)) callers[name].insert(path);
    }
  }
  std::map<std::string, Names> includes;  // by file
  for (const auto& [path, text] : files) includes[path] = IncludesOf(text);
  std::vector<HiddenFunction> hidden;
  for (const auto& [name, declared] : headers) {
    const auto reads = [&, &in = declared](const std::string& path) {
      return absl::c_any_of(includes[path],
                            [&](const std::string& header) { return in.contains(header); });
    };
    for (const std::string& hider : hiders[name]) {
      for (const std::string& caller : callers[name]) {
        if (RoomOf(caller) != RoomOf(hider) || !reads(caller)) continue;
        hidden.push_back({name, hider, caller});
        break;
      }
    }
  }
  return hidden;
}

}  // namespace onnxcmp
