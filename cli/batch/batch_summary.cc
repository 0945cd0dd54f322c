#include "cli/batch/batch_summary.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace onnxcmp::cli {
namespace {

constexpr size_t kListed = 20;

// In the order in which they are told.
constexpr absl::string_view kVerdictOrder[] = {"same",   "close",     "different",  "untested",
                                               "failed", kUnreadable, kOutOfMemory, kTimedOut,
                                               kCrashed, kKilled,     kChanged};

// An error without what differs from model to model: numbers, names in quotes, paths.
std::string ReasonClass(const std::string& error) {
  std::string text;
  for (size_t i = 0; i < error.size(); ++i) {
    const char c = error[i];
    if (c == '\'') {
      const size_t end = error.find('\'', i + 1);
      if (end == std::string::npos) break;
      text += "'…'";
      i = end;
    } else if (absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      const bool in_word = i > 0 && absl::ascii_isalpha(static_cast<unsigned char>(error[i - 1]));
      const size_t start = i;
      while (
          i + 1 < error.size() &&
          (absl::ascii_isdigit(static_cast<unsigned char>(error[i + 1])) || error[i + 1] == '.')) {
        ++i;
      }
      // The number of a type or of an operator is part of its name.
      text += in_word ? error.substr(start, i + 1 - start) : "N";
    } else if (c == '/' && (i == 0 || error[i - 1] == ' ')) {
      const size_t end = error.find_first_of(" :;,", i);
      text += "…";
      if (end == std::string::npos) break;
      i = end - 1;
    } else {
      text += c;
    }
  }
  return text;
}

void CountResult(const PairResult& result, VerdictCounts* counts) {
  ++counts->verdicts[result.outcome];
  ++counts->pairs;
  if (!result.as_expected) ++counts->unexpected;
  if (!result.proved.has_value()) return;
  ++counts->to_prove;
  if (*result.proved) ++counts->proved;
}

std::vector<size_t> Greatest(const std::vector<PairResult>& results,
                             double (*value)(const PairResult&)) {
  std::vector<size_t> order(results.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t listed = std::min(kListed, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(listed), order.end(),
                    [&](size_t a, size_t b) {
                      const double of_a = value(results[a]);
                      const double of_b = value(results[b]);
                      return of_a != of_b ? of_a > of_b : a < b;
                    });
  order.resize(listed);
  return order;
}

class FindingList {
 public:
  void Add(const std::string& name, const std::string& example, bool wrong, size_t pair) {
    const auto [it, is_new] = index_.emplace(name, findings_.size());
    if (is_new) findings_.push_back({name, example, wrong, {}});
    BatchFinding& finding = findings_[it->second];
    finding.wrong |= wrong;
    if (finding.pairs.empty() || finding.pairs.back() != pair) finding.pairs.push_back(pair);
  }
  std::vector<BatchFinding> Take() {
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const BatchFinding& a, const BatchFinding& b) {
                       if (a.wrong != b.wrong) return a.wrong;
                       return a.pairs.size() > b.pairs.size();
                     });
    return std::move(findings_);
  }

 private:
  absl::flat_hash_map<std::string, size_t> index_;
  std::vector<BatchFinding> findings_;
};

std::set<std::string> MistakesIn(const std::vector<PairResult>& results) {
  std::set<std::string> mistakes;
  for (const PairResult& result : results) {
    for (const FoundCause& cause : result.causes) {
      if (cause.wrong) mistakes.insert(cause.finding);
    }
  }
  return mistakes;
}

}  // namespace

BatchSummary Summarize(const std::vector<PairResult>& results) {
  BatchSummary summary;
  FindingList findings;
  FindingList not_compared;
  for (size_t i = 0; i < results.size(); ++i) {
    const PairResult& result = results[i];
    CountResult(result, &summary.all);
    for (const std::string& tag : result.tags) CountResult(result, &summary.tags[tag]);
    for (const FoundCause& cause : result.causes) {
      findings.Add(cause.finding, cause.text, cause.wrong, i);
    }
    if (!result.compared()) {
      const std::string& reason = result.error.empty() ? result.summary : result.error;
      not_compared.Add(absl::StrCat(VerdictWords(result.outcome), ": ", ReasonClass(reason)),
                       reason, true, i);
    }
    if (!result.as_expected) summary.unexpected.push_back(i);
    summary.pair_seconds += result.seconds;
    summary.exit_status = std::max(summary.exit_status, result.exit_status());
  }
  summary.findings = findings.Take();
  summary.not_compared = not_compared.Take();
  summary.slowest = Greatest(results, [](const PairResult& r) { return r.seconds; });
  summary.largest =
      Greatest(results, [](const PairResult& r) { return static_cast<double>(r.peak_bytes); });
  return summary;
}

void AddChanges(const std::vector<PairResult>& results, const std::vector<PairResult>& before,
                const std::string& baseline, BatchSummary* summary) {
  BatchChanges changes;
  changes.baseline = baseline;
  absl::flat_hash_map<absl::string_view, const PairResult*> known;
  for (const PairResult& result : before) known.emplace(result.name, &result);
  std::set<absl::string_view> present;
  for (size_t i = 0; i < results.size(); ++i) {
    const PairResult& now = results[i];
    present.insert(now.name);
    const auto found = known.find(now.name);
    if (found == known.end()) {
      changes.new_pairs.push_back(i);
      continue;
    }
    const PairResult& then = *found->second;
    if (now.as_expected != then.as_expected) {
      (now.as_expected ? changes.better : changes.worse).push_back({i, then.outcome});
    } else if (now.outcome != then.outcome) {
      changes.changed.push_back({i, then.outcome});
    }
  }
  for (const PairResult& result : before) {
    if (!present.contains(result.name)) changes.gone_pairs.push_back(result.name);
  }
  const std::set<std::string> mistakes = MistakesIn(results);
  const std::set<std::string> earlier = MistakesIn(before);
  std::set_difference(mistakes.begin(), mistakes.end(), earlier.begin(), earlier.end(),
                      std::back_inserter(changes.new_findings));
  std::set_difference(earlier.begin(), earlier.end(), mistakes.begin(), mistakes.end(),
                      std::back_inserter(changes.gone_findings));
  summary->changes = std::move(changes);
}

std::string VerdictWords(absl::string_view verdict) {
  return absl::StrReplaceAll(verdict, {{"_", " "}});
}

std::string CountsText(const VerdictCounts& counts) {
  std::vector<std::string> parts;
  for (const absl::string_view verdict : kVerdictOrder) {
    const auto found = counts.verdicts.find(std::string(verdict));
    if (found != counts.verdicts.end()) {
      parts.push_back(absl::StrCat(found->second, " ", VerdictWords(verdict)));
    }
  }
  return parts.empty() ? "no pairs" : absl::StrJoin(parts, ", ");
}

std::string ReasonOf(const PairResult& result) {
  for (const FoundCause& cause : result.causes) {
    if (cause.wrong) return absl::StrCat(cause.finding, " ", cause.place, ": ", cause.text);
  }
  if (!result.error.empty()) return result.error;
  return result.summary;
}

}  // namespace onnxcmp::cli
