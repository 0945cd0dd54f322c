#include "cli/batch/batch_reports.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/batch/render_batch.h"
#include "cli/batch/whole_file.h"
#include "evaluator/base/status_macros.h"
#include "record/streams/xxh128.h"
#include "record/text/display_text.h"
#include "record/text/natural_order.h"

namespace onnxcmp::cli {
namespace {

using SummaryJson = nlohmann::ordered_json;

SummaryJson CountsJson(const VerdictCounts& counts) {
  SummaryJson verdicts = SummaryJson::object();
  for (const auto& [verdict, count] : counts.verdicts) verdicts[verdict] = count;
  SummaryJson json = {
      {"pairs", counts.pairs}, {"unexpected", counts.unexpected}, {"verdicts", verdicts}};
  if (counts.to_prove > 0) {
    json["proved"] = counts.proved;
    json["to_prove"] = counts.to_prove;
  }
  return json;
}

SummaryJson FindingsJson(const std::vector<BatchFinding>& findings,
                         const std::vector<PairResult>& results) {
  SummaryJson list = SummaryJson::array();
  for (const BatchFinding& finding : findings) {
    SummaryJson names = SummaryJson::array();
    for (const size_t pair : finding.pairs) names.push_back(results[pair].name);
    list.push_back({{"finding", finding.name},
                    {"example", finding.example},
                    {"wrong", finding.wrong},
                    {"pairs", std::move(names)}});
  }
  return list;
}

SummaryJson ChangesJson(const BatchChanges& changes, const std::vector<PairResult>& results) {
  const auto verdicts = [&](const std::vector<BatchChanges::Verdict>& list) {
    SummaryJson json = SummaryJson::array();
    for (const BatchChanges::Verdict& change : list) {
      const PairResult& result = results[change.pair];
      json.push_back({{"name", result.name}, {"before", change.before}, {"now", result.outcome}});
    }
    return json;
  };
  SummaryJson added = SummaryJson::array();
  for (const size_t pair : changes.new_pairs) added.push_back(results[pair].name);
  return {{"baseline", changes.baseline},         {"worse", verdicts(changes.worse)},
          {"better", verdicts(changes.better)},   {"changed", verdicts(changes.changed)},
          {"new_pairs", std::move(added)},        {"gone_pairs", changes.gone_pairs},
          {"new_findings", changes.new_findings}, {"gone_findings", changes.gone_findings}};
}

std::string SummaryText(const std::vector<PairResult>& results, const BatchSummary& summary,
                        const BatchShard& shard) {
  SummaryJson json = {{"format", "onnxcmp batch"},
                      {"version", 1},
                      {"exit", summary.exit_status},
                      {"all", CountsJson(summary.all)},
                      {"shard", {shard.index, shard.count}},
                      {"seconds", summary.pair_seconds},
                      {"findings", FindingsJson(summary.findings, results)},
                      {"not_compared", FindingsJson(summary.not_compared, results)}};
  SummaryJson tags = SummaryJson::object();
  for (const auto& [tag, counts] : summary.tags) tags[tag] = CountsJson(counts);
  json["tags"] = std::move(tags);
  if (summary.changes.has_value()) json["changes"] = ChangesJson(*summary.changes, results);
  return absl::StrCat(json.dump(1, ' ', true, SummaryJson::error_handler_t::replace), "\n");
}

absl::StatusOr<BatchShard> ShardOf(const std::string& folder) {
  std::ifstream file(absl::StrCat(folder, "/summary.json"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const SummaryJson json = SummaryJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_object() && json.contains("shard")) {
    const SummaryJson& shard = json["shard"];
    if (shard.is_array() && shard.size() == 2 && shard[0].is_number_integer() &&
        shard[1].is_number_integer()) {
      return BatchShard{shard[0].get<int64_t>(), shard[1].get<int64_t>()};
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(folder, ": no batch has ended there"));
}

absl::Status CheckAllShards(const std::vector<std::string>& folders) {
  std::map<int64_t, std::set<int64_t>> present;  // by their count
  for (const std::string& folder : folders) {
    OC_ASSIGN_OR_RETURN(const BatchShard shard, ShardOf(folder));
    present[shard.count].insert(shard.index);
  }
  for (const auto& [count, indices] : present) {
    std::vector<int64_t> missing;
    for (int64_t i = 1; i <= count; ++i) {
      if (!indices.contains(i)) missing.push_back(i);
    }
    if (missing.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat("of ", count, " shards there are none of the ",
                                                   missing.size() == 1 ? "number " : "numbers ",
                                                   absl::StrJoin(missing, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BatchShard> ParseShard(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '/');
  BatchShard shard;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &shard.index) ||
      !absl::SimpleAtoi(parts[1], &shard.count) || shard.index < 1 || shard.index > shard.count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--shard takes I/N, the number of a shard from 1 to N, and not ", PrintableText(text)));
  }
  return shard;
}

bool InShard(const std::string& name, const BatchShard& shard) {
  const uint64_t hash = HashOfText(name).low;
  return hash % static_cast<uint64_t>(shard.count) == static_cast<uint64_t>(shard.index - 1);
}

absl::Status WriteBatchReports(const std::vector<PairResult>& results, const BatchSummary& summary,
                               const BatchShard& shard, const ResultStore& store) {
  std::string lines;
  for (const PairResult& result : results) absl::StrAppend(&lines, PairResultJson(result), "\n");
  OC_RETURN_IF_ERROR(ReplaceFile(store.Path("index.html"), RenderBatchPage(results, summary)));
  OC_RETURN_IF_ERROR(ReplaceFile(store.Path("junit.xml"), RenderBatchJunit(results, summary)));
  OC_RETURN_IF_ERROR(ReplaceFile(store.Path("summary.md"), RenderBatchMarkdown(results, summary)));
  OC_RETURN_IF_ERROR(ReplaceFile(store.Path("summary.json"), SummaryText(results, summary, shard)));
  // Written last, so that its existence implies the others.
  return ReplaceFile(store.Path("results.jsonl"), lines);
}

absl::StatusOr<std::vector<PairResult>> MergeBatches(const std::vector<std::string>& folders,
                                                     const ResultStore& store) {
  OC_RETURN_IF_ERROR(CheckAllShards(folders));
  std::vector<PairResult> merged;
  absl::flat_hash_map<std::string, size_t> places;
  for (const std::string& folder : folders) {
    OC_ASSIGN_OR_RETURN(std::vector<PairResult> results, ReadResults(folder));
    for (PairResult& result : results) {
      if (!result.folder.empty()) OC_RETURN_IF_ERROR(store.Import(folder, result));
      const auto [it, is_new] = places.emplace(result.name, merged.size());
      if (is_new) {
        merged.push_back(std::move(result));
      } else if (result.finished > merged[it->second].finished) {
        merged[it->second] = std::move(result);
      }
    }
  }
  std::stable_sort(merged.begin(), merged.end(), [](const PairResult& a, const PairResult& b) {
    return NaturallyLess(a.name, b.name);
  });
  return merged;
}

}  // namespace onnxcmp::cli
