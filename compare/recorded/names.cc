#include "compare/recorded/names.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "compare/alignment/weights.h"
#include "record/streams/result_names.h"

namespace onnxcmp {
namespace {

constexpr int kSeveral = kNone - 1;
// Limit of leading parts that only one side's paths have: the name of a wrapper.
constexpr size_t kMostBefore = 2;

bool IsDigits(absl::string_view text) {
  return !text.empty() && absl::c_all_of(text, [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

// True if all words occur in `name` in this order.
bool AreInOrder(const std::vector<std::string>& words, const std::vector<std::string>& name) {
  size_t next = 0;
  for (const std::string& word : name) {
    if (next < words.size() && words[next] == word) ++next;
  }
  return next == words.size();
}

// True if a recorded name surely refers to a result of that name: all of its words occur there in
// order, or it is that name with a prefix or a number after it.
bool Means(const std::vector<std::string>& words, const std::vector<std::string>& name) {
  if (AreInOrder(words, name)) return true;
  if (name.size() >= words.size()) return false;
  return std::equal(name.rbegin(), name.rend(), words.rbegin()) ||
         (name.size() + 1 == words.size() && std::equal(name.begin(), name.end(), words.begin()) &&
          IsDigits(words.back()));
}

// Number of words that one of the two lacks, if the other contains all of its words.
size_t OtherWords(const std::vector<std::string>& words, const std::vector<std::string>& name) {
  return std::max(words.size(), name.size()) - std::min(words.size(), name.size());
}

// "layer1/layer1.0/conv" becomes "layer1.0.conv": the names of a container's modules repeat its
// own.
std::vector<std::string> PartsOfPath(absl::string_view path) {
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (!parts.empty() && absl::StartsWith(part, absl::StrCat(parts.back(), "."))) parts.pop_back();
    parts.emplace_back(part);
  }
  return absl::StrSplit(absl::StrJoin(parts, "."), '.', absl::SkipEmpty());
}

std::string Key(const std::vector<std::string>& parts, size_t first = 0) {
  return absl::StrJoin(parts.begin() + static_cast<std::ptrdiff_t>(std::min(first, parts.size())),
                       parts.end(), ".");
}

// Strips suffixes that tools add to the name of a module's result.
absl::string_view WithoutEnd(absl::string_view name) {
  for (const absl::string_view end :
       {" call 0 output", "_output_0", ".output_0", "_output", ".output", ":0"}) {
    if (absl::ConsumeSuffix(&name, end)) return name;
  }
  return name;
}

}  // namespace

std::vector<std::string> WordsOf(absl::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      words.back().push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool PassesOn(absl::string_view name) {
  return absl::c_any_of(WordsOf(name), [](absl::string_view word) {
    return absl::StartsWith(word, "drop") || absl::StartsWith(word, "identity");
  });
}

bool IsCounted(absl::string_view name) {
  absl::ConsumePrefix(&name, "onnx::");
  absl::ConsumeSuffix(&name, "_output_0");
  if (name.empty() || name.find_first_of("/.") != absl::string_view::npos) return false;
  return absl::ascii_isdigit(static_cast<unsigned char>(name.back()));
}

RecordedNames::RecordedNames(const ResultStream& recording, const ResultStream& other)
    : recording_(recording), other_(other), words_(other.results.size()) {
  for (const StreamResult& result : recording_.results) recorded_.insert(FullName(result));
  for (size_t i = 0; i < other_.results.size(); ++i) {
    const StreamResult& result = other_.results[i];
    const auto r = static_cast<int>(i);
    if (result.kind == ResultKind::kOutput) {
      if (result.source != kNone) outputs_[result.name] = result.source;
      continue;
    }
    const std::string name = FullName(result);
    names_[name] = r;
    words_[i] = WordsOf(name);
    if (result.kind == ResultKind::kInitializer) continue;
    const auto [it, added] = spelled_.try_emplace(absl::StrJoin(words_[i], "_"), r);
    if (!added) it->second = kSeveral;
  }
  FindModules();
}

std::vector<std::string> RecordedNames::ModuleOf(const StreamNode& node) const {
  if (node.module.has_value()) return PartsOfPath(*node.module);
  absl::string_view name = node.name;
  if (!absl::StartsWith(name, "/") && !node.outputs.empty() && node.outputs.front() != kNone) {
    name = other_.results[Index(node.outputs.front())].name;
  }
  if (!absl::StartsWith(name, "/")) return {};
  // The last part is the operator.
  return PartsOfPath(name.substr(0, name.rfind('/')));
}

void RecordedNames::FindModules() {
  // Each result belongs to its node's module and all modules around it, and leaves those that none
  // of its readers is in.
  std::vector<std::vector<std::string>> of_node;
  of_node.reserve(other_.nodes.size());
  for (const StreamNode& node : other_.nodes) of_node.push_back(ModuleOf(node));
  if (absl::c_all_of(of_node, [](const auto& parts) { return parts.empty(); })) return;
  // By result: number of path parts that all readers share with the producer, at most the length of
  // its path; without readers so far, all of them.
  std::vector<size_t> common(other_.results.size());
  std::vector<bool> is_read(other_.results.size());
  const auto see = [&](int r, const std::vector<std::string>& reader) {
    const int maker = r == kNone ? kNone : other_.results[Index(r)].node;
    if (maker == kNone) return;
    const std::vector<std::string>& own = of_node[Index(maker)];
    const auto same = static_cast<size_t>(
        std::mismatch(own.begin(), own.end(), reader.begin(), reader.end()).first - own.begin());
    common[Index(r)] = is_read[Index(r)] ? std::min(common[Index(r)], same) : same;
    is_read[Index(r)] = true;
  };
  for (size_t n = 0; n < other_.nodes.size(); ++n) {
    for (const int r : other_.nodes[n].inputs) see(r, of_node[n]);
    for (const int r : other_.nodes[n].captures) see(r, of_node[n]);
  }
  for (const StreamResult& result : other_.results) {
    if (result.kind == ResultKind::kOutput) see(result.source, {});
  }
  for (size_t i = 0; i < other_.results.size(); ++i) {
    const int maker = other_.results[i].node;
    if (maker == kNone || other_.results[i].kind == ResultKind::kOutput) continue;
    const std::vector<std::string>& own = of_node[Index(maker)];
    std::string path;
    for (size_t part = 0; part < own.size(); ++part) {
      absl::StrAppend(&path, part == 0 ? "" : ".", own[part]);
      if (is_read[i] && common[i] > part) continue;
      modules_[path].results.push_back(static_cast<int>(i));
    }
  }
  for (size_t n = 0; n < other_.nodes.size(); ++n) {
    std::string path;
    for (const std::string& part : of_node[n]) {
      absl::StrAppend(&path, path.empty() ? "" : ".", part);
      const auto it = modules_.find(path);
      if (it != modules_.end()) AddConstants(other_.nodes[n], &it->second.constants);
    }
  }
  FindPrefix(of_node);
}

void RecordedNames::AddConstants(const StreamNode& node, std::vector<Hash128>* constants) const {
  for (const int r : node.inputs) {
    if (r == kNone) continue;
    const StreamResult& read = other_.results[Index(r)];
    const bool is_constant =
        read.kind == ResultKind::kInitializer || OpTypeOf(read, other_) == "Constant";
    if (is_constant) constants->push_back(read.fingerprint.content);
  }
}

void RecordedNames::FindPrefix(const std::vector<std::vector<std::string>>& of_node) {
  absl::flat_hash_set<std::string> starts = {""};
  for (const auto& parts : of_node) {
    for (size_t count = 1; count <= kMostBefore && count <= parts.size(); ++count) {
      starts.insert(absl::StrCat(
          Key({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count)}), "."));
    }
  }
  std::vector<std::string> ordered(starts.begin(), starts.end());
  absl::c_sort(ordered, [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  int most = 0;
  std::pair<std::string, size_t> best;
  for (size_t skipped = 0; skipped <= kMostBefore; ++skipped) {
    for (const std::string& start : ordered) {
      if (skipped > 0 && !start.empty()) continue;
      before_ = start;
      skipped_ = skipped;
      int meant = 0;
      for (const StreamResult& result : recording_.results) {
        if (!KeyOfModule(result.name).empty()) ++meant;
      }
      if (meant <= most) continue;
      most = meant;
      best = {start, skipped};
    }
  }
  std::tie(before_, skipped_) = best;
}

std::string RecordedNames::KeyOfModule(absl::string_view name) const {
  for (const absl::string_view called : {name, WithoutEnd(name)}) {
    const std::vector<std::string> parts = PartsOfPath(called);
    if (parts.size() <= skipped_) continue;
    std::string key = absl::StrCat(before_, Key(parts, skipped_));
    if (modules_.contains(key)) return key;
  }
  return "";
}

bool RecordedNames::SameSize(int recorded, int other) const {
  const Fingerprint& own = recording_.results[Index(recorded)].fingerprint;
  const Fingerprint& theirs = other_.results[Index(other)].fingerprint;
  return own.size == theirs.size && own.kind == theirs.kind;
}

NamedResult RecordedNames::FindSame(int recorded) const {
  const StreamResult& result = recording_.results[Index(recorded)];
  const std::string name = FullName(result);
  if (const auto it = outputs_.find(result.name); it != outputs_.end()) {
    return {it->second, NameRule::kOutput};
  }
  // A number alone names nothing.
  if (IsDigits(name)) return {};
  const NameRule rule = IsCounted(name) ? NameRule::kCounted : NameRule::kSame;
  if (const auto it = names_.find(name); it != names_.end()) return {it->second, rule};
  // Characters that are not allowed in file names were replaced.
  const auto it = spelled_.find(absl::StrJoin(WordsOf(name), "_"));
  if (it == spelled_.end() || it->second == kSeveral) return {};
  return {it->second, rule};
}

NamedResult RecordedNames::FindModule(int recorded) const {
  const StreamResult& result = recording_.results[Index(recorded)];
  if (absl::StrContains(result.name, " input")) return {};
  const std::string key = KeyOfModule(FullName(result));
  if (key.empty()) return {};
  // Exporters count the calls of one module: "up", "up_1". A recording most often has the last.
  // A module of a name like that reads other weights.
  const Module& first = modules_.at(key);
  std::vector<int> results = first.results;
  for (int call = 1;; ++call) {
    const auto it = modules_.find(absl::StrCat(key, "_", call));
    if (it == modules_.end() || it->second.constants != first.constants) break;
    results.insert(results.end(), it->second.results.begin(), it->second.results.end());
  }
  for (auto r = results.rbegin(); r != results.rend(); ++r) {
    if (SameSize(recorded, *r)) return {*r, NameRule::kModule};
  }
  // A module's result of another size, if it is the only one.
  return results.size() == 1 ? NamedResult{results[0], NameRule::kModule} : NamedResult();
}

// A container's modules have names like that, too.
std::string RecordedNames::KeyOfSeveral(absl::string_view name) const {
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || !IsDigits(name.substr(dot + 1)) ||
      recorded_.contains(name.substr(0, dot)) || !KeyOfModule(name).empty()) {
    return "";
  }
  const std::string key = KeyOfModule(name.substr(0, dot));
  return modules_.contains(absl::StrCat(key, ".0")) ? "" : key;
}

NamedResult RecordedNames::FindOneOfSeveral(int recorded, const std::string& key) const {
  int found = kNone;
  for (const int r : modules_.at(key).results) {
    if (!SameSize(recorded, r) ||
        recording_.results[Index(recorded)].shape != other_.results[Index(r)].shape) {
      continue;
    }
    if (found != kNone) return {};
    found = r;
  }
  return found == kNone ? NamedResult() : NamedResult{found, NameRule::kWithin};
}

NamedResult RecordedNames::FindWithin(int recorded) const {
  const std::vector<std::string> words = WordsOf(FullName(recording_.results[Index(recorded)]));
  if (words.empty() || (words.size() == 1 && IsDigits(words[0]))) return {};
  int best = kNone;
  std::pair<double, size_t> least;
  for (size_t i = 0; i < other_.results.size(); ++i) {
    const StreamResult& other = other_.results[i];
    const auto r = static_cast<int>(i);
    if (other.kind != ResultKind::kResult || OpTypeOf(other, other_) == "Constant" ||
        !SameSize(recorded, r) || !Means(words, words_[i])) {
      continue;
    }
    // A near one is preferred to one with fewer other words.
    const double distance =
        SketchDistance(recording_.results[Index(recorded)].fingerprint, other.fingerprint);
    const std::pair<double, size_t> rest = {distance <= weights::kCoarse ? distance : 1,
                                            OtherWords(words, words_[i])};
    if (best != kNone && rest > least) continue;
    best = r;
    least = rest;
  }
  return best == kNone ? NamedResult() : NamedResult{best, NameRule::kWithin};
}

bool RecordedNames::IsTargetShape(int other) const {
  bool any = false;
  for (const StreamNode& node : other_.nodes) {
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (node.inputs[slot] != other) continue;
      if (node.op_type != "Reshape" || slot != 1) return false;
      any = true;
    }
    if (absl::c_linear_search(node.captures, other)) return false;
  }
  return any;
}

NamedResult RecordedNames::Find(int recorded) const {
  const NamedResult same = FindSame(recorded);
  const StreamResult& own = recording_.results[Index(recorded)];
  if (same.result != kNone) {
    // One shape can be said in several ways: [2,16,64], [0,0,64], [0,-1,64].
    const bool may_be_shape = own.fingerprint.kind == ElementKind::kInteger &&
                              own.shape.has_value() && own.shape->size() == 1;
    return may_be_shape && IsTargetShape(same.result) ? NamedResult() : same;
  }
  // Constants have the names that an optimizer gave them.
  if (own.kind == ResultKind::kInitializer || OpTypeOf(own, recording_) == "Constant") return {};
  const NamedResult module = FindModule(recorded);
  if (module.result != kNone) return module;
  const std::string key = KeyOfSeveral(FullName(own));
  return key.empty() ? FindWithin(recorded) : FindOneOfSeveral(recorded, key);
}

}  // namespace onnxcmp
