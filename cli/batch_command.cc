#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "cli/arguments.h"
#include "cli/batch/batch_pair.h"
#include "cli/batch/batch_reports.h"
#include "cli/batch/batch_summary.h"
#include "cli/batch/content_key.h"
#include "cli/batch/manifest.h"
#include "cli/batch/pair_files.h"
#include "cli/batch/pair_schedule.h"
#include "cli/batch/render_batch.h"
#include "cli/batch/result_store.h"
#include "cli/batch/run_pairs.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/process/messages.h"
#include "cli/process/time_option.h"
#include "cli/process/version_text.h"
#include "cli/runtimes/runtime_options.h"
#include "evaluator/base/os/terminal.h"
#include "evaluator/base/os/this_process.h"
#include "evaluator/base/status_macros.h"
#include "record/runtimes/find_python.h"
#include "record/runtimes/runtime_spec.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp::cli {
namespace {

constexpr char kPairs[] = "Pairs";
constexpr char kMachine[] = "This machine";
constexpr char kShards[] = "Several machines";
constexpr size_t kPrintedFindings = 10;

struct BatchArguments {
  std::vector<std::string> sources;
  std::string out;
  PairPatterns patterns;
  std::vector<std::string> options;  // of every comparison
  int jobs = 0;
  std::optional<int64_t> memory;
  std::optional<int64_t> pair_memory;
  absl::Duration pair_time = absl::Hours(1);
  std::string pages = "all";
  std::string baseline;
  std::string shard;
  bool merge = false;
  bool list = false;
  bool retry = false;
  bool prune = false;
  bool quiet = false;
};

void AddBatchOptions(CLI::App& app, BatchArguments& arguments) {
  app.add_option("SOURCE", arguments.sources, "A manifest (CSV, JSON lines), or folders")
      ->type_name(" ");
  app.add_option("--out", arguments.out, "Folder of results; finished pairs are kept")
      ->type_name("DIR");
  app.add_flag("-q,--quiet", arguments.quiet, "Print only errors and the end");
  app.add_option("--left", arguments.patterns.left, "Left models, with wildcards: 'a/*/m.onnx'")
      ->group(kPairs)
      ->type_name("PATTERN");
  app.add_option("--right", arguments.patterns.right, "The right one of each: 'b/{1}/m.onnx'")
      ->group(kPairs)
      ->type_name("TEXT");
  app.add_option("--inputs", arguments.patterns.inputs, "Its inputs: 'a/{1}/in.npz'")
      ->group(kPairs)
      ->type_name("TEXT");
  app.add_option("--name", arguments.patterns.name, "Its name ({1}, or {1}/{2}, ...)")
      ->group(kPairs)
      ->type_name("TEXT");
  app.add_option("--against", arguments.patterns.against, "Run each left model in a runtime, too")
      ->group(kPairs)
      ->type_name("R[:K=V,...]");
  app.add_flag("--list", arguments.list, "Print the pairs as a manifest; compare none")
      ->group(kPairs);
  app.add_option("--jobs", arguments.jobs, "Comparisons at a time (one for each core)")
      ->group(kMachine)
      ->type_name("N")
      ->check(Quietly(CLI::Range(1, 4096)));
  AsSize(app.add_option("--memory", arguments.memory,
                        "Memory for all at a time (nine tenths of the free)"),
         1)
      ->group(kMachine);
  AsSize(app.add_option("--pair-memory", arguments.pair_memory,
                        "Most that one may allocate (as --memory)"),
         1)
      ->group(kMachine);
  AddTime(app, "--pair-time", arguments.pair_time, "The longest that one may take (1h)")
      ->group(kMachine);
  app.add_flag("--retry", arguments.retry, "Retry pairs that could not be compared")
      ->group(kMachine);
  app.add_option("--baseline", arguments.baseline,
                 "Report new and resolved causes since that batch")
      ->group("Reports")
      ->type_name("DIR");
  app.add_option("--pages", arguments.pages, "Pages: all, unexpected, none (all)")
      ->group("Reports")
      ->type_name("WHICH")
      ->check(OneOf({"all", "unexpected", "none"}));
  app.add_flag("--prune", arguments.prune, "Remove results of pairs that are no longer there")
      ->group("Reports");
  app.add_option("--shard", arguments.shard, "Compare only a part: number I of N")
      ->group(kShards)
      ->type_name("I/N");
  app.add_flag("--merge", arguments.merge, "Join the results of shards: the sources are their DIRs")
      ->group(kShards);
}

absl::StatusOr<std::vector<BatchPair>> PairsOfSources(const BatchArguments& arguments) {
  const PairPatterns& patterns = arguments.patterns;
  const std::vector<std::string>& sources = arguments.sources;
  if (!patterns.left.empty()) {
    if (!sources.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("pairs come from --left or from ", sources[0], ", and not from both"));
    }
    if (patterns.right.empty() == patterns.against.empty()) {
      return absl::InvalidArgumentError("--left needs --right or --against");
    }
    return PairsOfPatterns(patterns);
  }
  if (!patterns.right.empty() || !patterns.inputs.empty() || !patterns.name.empty()) {
    return absl::InvalidArgumentError("--right, --inputs and --name belong to --left");
  }
  if (sources.empty() || sources.size() > 2) {
    return absl::InvalidArgumentError(
        "a manifest, two folders, or a folder --against a runtime is needed: onnxcmp batch "
        "SOURCE --out DIR; see onnxcmp batch --help");
  }
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(sources[0], error);
  if (sources.size() == 2) {
    if (!patterns.against.empty()) {
      return absl::InvalidArgumentError("--against takes one folder, and not two");
    }
    return PairsOfFolders(sources[0], sources[1]);
  }
  if (!patterns.against.empty()) {
    if (!is_folder) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--against takes a folder, and not ", sources[0], "; a manifest has it in `against`"));
    }
    return PairsAgainst(sources[0], patterns.against);
  }
  if (is_folder) {
    return absl::InvalidArgumentError(
        absl::StrCat(sources[0], " is one folder: give another one, or --against a runtime"));
  }
  return ReadManifest(sources[0]);
}

// Paths of a pair are files or folders, by which its key follows their contents.
absl::Status CheckOneFile(const std::string& side) {
  std::error_code error;
  if (!absl::StrContains(side, '+') || std::filesystem::exists(side, error)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      side, ": a decoder of several files is given to a batch as the folder that has them"));
}

absl::Status CheckLine(std::vector<std::string> line) {
  if (std::erase(line, kGeneratePair) > 0) return CheckGenerateLine(line);
  CompareArguments arguments;
  OC_RETURN_IF_ERROR(ReadCompareArguments(line, &arguments));
  if (!arguments.classic && arguments.output.empty() && arguments.format == "table" &&
      arguments.reports.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "reports are those of the batch: --format, --output, --html, --json and their like, and "
      "--classic are not for a pair");
}

// Each list of options is read as a comparison reads it, so that a mistake shows before the first.
absl::Status CheckPairOptions(const std::vector<BatchPair>& pairs) {
  std::set<std::vector<std::string>> checked;
  for (const BatchPair& pair : pairs) {
    std::vector<std::string> line = pair.options;
    if (!pair.against.empty()) line.insert(line.end(), {"--against", pair.against});
    line.push_back("left.onnx");
    if (!pair.right.empty()) line.push_back("right.onnx");
    absl::Status read = checked.insert(line).second ? CheckLine(line) : absl::OkStatus();
    if (std::find(line.begin(), line.end(), kGeneratePair) != line.end()) {
      for (const std::string& side : {pair.left, pair.right}) read.Update(CheckOneFile(side));
    }
    if (read.ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "pair '", PrintableText(pair.name), "'",
        pair.line > 0 ? absl::StrCat(" (line ", pair.line, ")") : "", ": ", read.message()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<BatchPair>> PairsOf(const BatchArguments& arguments) {
  OC_ASSIGN_OR_RETURN(std::vector<BatchPair> pairs, PairsOfSources(arguments));
  if (pairs.empty()) return absl::InvalidArgumentError("there are no pairs to compare");
  OC_RETURN_IF_ERROR(NameBatchPairs(&pairs));
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  std::vector<std::string> options;
  for (const std::string& word : arguments.options) options.push_back(WordFromFolder(here, word));
  for (BatchPair& pair : pairs) {
    pair.options.insert(pair.options.begin(), options.begin(), options.end());
    if (pair.line == 0) pair.against = RuntimeFromFolder(here, pair.against);
  }
  OC_RETURN_IF_ERROR(CheckPairOptions(pairs));
  if (!arguments.shard.empty()) {
    OC_ASSIGN_OR_RETURN(const BatchShard shard, ParseShard(arguments.shard));
    std::erase_if(pairs, [&](const BatchPair& pair) { return !InShard(pair.name, shard); });
  }
  return pairs;
}

// Starts this program: as a module of its Python if this is the package's library.
std::vector<std::string> ThisProgram() {
  const char* python = std::getenv("ONNXCMP_BATCH_PYTHON");
  if (python != nullptr && !LibraryOf(reinterpret_cast<const void*>(&ThisProgram)).empty()) {
    return absl::StrSplit(python, '\n');
  }
  return {ProgramPath()};
}

// Runtimes by the names that pairs have for them, with their versions: another one may give other
// results.
class RuntimeVersions {
 public:
  std::string Of(const BatchPair& pair) {
    std::string text = Version(pair.against);
    for (size_t i = 0; i < pair.options.size(); ++i) {
      for (const absl::string_view option : {"--against", "--left-runtime", "--right-runtime"}) {
        if (pair.options[i] == option && i + 1 < pair.options.size()) {
          absl::StrAppend(&text, " ", Version(pair.options[i + 1]));
        } else if (absl::StartsWith(pair.options[i], absl::StrCat(option, "="))) {
          absl::StrAppend(&text, " ", Version(pair.options[i].substr(option.size() + 1)));
        }
      }
    }
    return text;
  }

 private:
  const std::string& Version(const std::string& name) {
    const auto [it, is_new] = versions_.emplace(name, "");
    const absl::StatusOr<RuntimeSpec> spec = ParseRuntimeSpec(name);
    if (!is_new || name.empty() || !spec.ok()) return it->second;
    std::error_code error;
    if (spec->is_file()) {
      const auto time = std::filesystem::last_write_time(spec->name, error);
      it->second = absl::StrCat(time.time_since_epoch().count());
    } else if (const auto adapters = AdaptersFolder(); adapters.ok()) {
      const absl::StatusOr<FoundPython> found = FindPython(*adapters, spec->name);
      it->second = found.ok() ? found->version : "none";
    }
    return it->second;
  }

  std::map<std::string, std::string> versions_;
};

// A runtime that is not there is a mistake of the whole batch and not of each pair.
absl::Status CheckRuntimes(const std::vector<BatchPair>& pairs) {
  std::set<std::string> checked;
  for (const BatchPair& pair : pairs) {
    if (pair.against.empty() || !checked.insert(pair.against).second) continue;
    OC_ASSIGN_OR_RETURN(const RuntimeSpec spec, ParseRuntimeSpec(pair.against));
    if (spec.is_file()) continue;
    OC_ASSIGN_OR_RETURN(const std::string adapters, AdaptersFolder());
    OC_RETURN_IF_ERROR(FindPython(adapters, spec.name).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<PairRunOptions> RunOptionsOf(const BatchArguments& arguments) {
  PairRunOptions options;
  options.program = ThisProgram();
  const std::string version = VersionText();
  options.version = version.substr(0, version.find('\n'));
  options.depends_on = [build = absl::StrCat(version, HashOfProgram()),
                        runtimes = std::make_shared<RuntimeVersions>()](const BatchPair& pair) {
    return absl::StrCat(build, "\n", runtimes->Of(pair));
  };
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.jobs = arguments.jobs > 0 ? arguments.jobs : cores;
  options.threads = std::max(1, cores / options.jobs);
  options.memory = arguments.memory.value_or(MemoryForPairs());
  options.pair_memory = arguments.pair_memory.value_or(0);
  options.pair_time = arguments.pair_time;
  options.pages = arguments.pages == "none"         ? PairPages::kNone
                  : arguments.pages == "unexpected" ? PairPages::kUnexpected
                                                    : PairPages::kAll;
  options.retry = arguments.retry;
  options.quiet = arguments.quiet;
  options.baseline = arguments.baseline;
  return options;
}

void PrintChanges(const BatchChanges& changes, std::string* text) {
  const auto part = [&](size_t count, absl::string_view what) {
    if (count > 0) absl::StrAppend(text, "; ", count, " ", what);
  };
  absl::StrAppend(text, "since      ", changes.baseline);
  if (!changes.any()) *text += "; nothing has changed";
  part(changes.worse.size(), "no longer as expected");
  part(changes.better.size(), "as expected now");
  part(changes.changed.size(), "with another verdict");
  part(changes.new_pairs.size(), "new");
  part(changes.gone_pairs.size(), "gone");
  *text += "\n";
  for (const std::string& finding : changes.new_findings) {
    absl::StrAppend(text, "new cause  ", PrintableText(finding), "\n");
  }
}

// Writes the reports and prints their essence. The exit status.
absl::StatusOr<int> ReportBatch(const std::vector<PairResult>& results,
                                const BatchArguments& arguments, const std::string& times,
                                const std::vector<PairResult>& before, const BatchShard& shard,
                                const ResultStore& store) {
  BatchSummary summary = Summarize(results);
  if (!arguments.baseline.empty()) AddChanges(results, before, arguments.baseline, &summary);
  OC_RETURN_IF_ERROR(WriteBatchReports(results, summary, shard, store));
  std::string text;
  size_t printed = 0;
  for (const BatchFinding& finding : summary.findings) {
    if (!finding.wrong || printed++ >= kPrintedFindings) continue;
    absl::StrAppend(&text, "cause      ", PrintableText(finding.name), ", ",
                    Count(static_cast<int64_t>(finding.pairs.size()), "pair"), "\n");
  }
  if (summary.changes.has_value()) PrintChanges(*summary.changes, &text);
  absl::StrAppend(&text, "page       ", arguments.out, "/index.html\n", BatchHeadline(summary),
                  times, "\nexit ", summary.exit_status, "\n");
  return PrintOutput(text) ? summary.exit_status : kFailed;
}

absl::StatusOr<std::vector<PairResult>> ResultsBefore(const BatchArguments& arguments) {
  if (arguments.baseline.empty()) return std::vector<PairResult>();
  return ReadResults(arguments.baseline);
}

void PrintPairResult(const PairResult& result) {
  // Over a line of progress.
  const char* start = IsTerminal(kErrorFile) && IsTerminal(kOutputFile) ? "\r\x1b[K" : "";
  PrintOutput(absl::StrCat(start, PadRight(VerdictWords(result.outcome), 13), "  ",
                           PrintableText(result.name), "  ",
                           ShortenEnd(PrintableText(ReasonOf(result)), 160, "…"), "\n"));
}

absl::StatusOr<int> RunBatch(const BatchArguments& arguments) {
  OC_ASSIGN_OR_RETURN(const std::vector<BatchPair> pairs, PairsOf(arguments));
  if (arguments.list) {
    std::string text;
    for (const BatchPair& pair : pairs) absl::StrAppend(&text, ManifestLine(pair), "\n");
    return PrintOutput(text) ? kAgree : kFailed;
  }
  OC_RETURN_IF_ERROR(CheckRuntimes(pairs));
  OC_ASSIGN_OR_RETURN(PairRunOptions options, RunOptionsOf(arguments));
  BatchShard shard;
  if (!arguments.shard.empty()) {
    OC_ASSIGN_OR_RETURN(shard, ParseShard(arguments.shard));
  }
  OC_ASSIGN_OR_RETURN(const std::vector<PairResult> before, ResultsBefore(arguments));
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<ResultStore> store, ResultStore::Open(arguments.out));
  for (const PairResult& result : before) options.earlier.emplace(result.name, result);
  if (const auto last = ReadResults(arguments.out); last.ok()) {
    for (const PairResult& result : *last) options.earlier.emplace(result.name, result);
  }
  if (!arguments.quiet) {
    options.on_result = [](const PairResult& result, bool /*is_new*/) {
      if (!result.as_expected) PrintPairResult(result);
    };
  }
  absl::StatusOr<PairRun> run = RunPairs(pairs, options, *store);
  if (!run.ok()) {
    return absl::Status(run.status().code(),
                        absl::StrCat(run.status().message(),
                                     "; results so far are kept: the same command goes on"));
  }
  if (run->signal != 0) {
    PrintNote(absl::StrCat("onnxcmp: stopped after ", run->computed + run->kept, " of ",
                           Count(static_cast<int64_t>(pairs.size()), "pair"),
                           "; the same command goes on"));
    signal(run->signal, SIG_DFL);
    raise(run->signal);
    return kFailed;
  }
  const std::string times =
      absl::StrFormat("; %d compared, %d known, %.1f s", run->computed, run->kept, run->seconds);
  OC_ASSIGN_OR_RETURN(const int status,
                      ReportBatch(run->results, arguments, times, before, shard, *store));
  std::remove(store->Path("running.jsonl").c_str());
  if (arguments.prune) {
    absl::flat_hash_set<std::string> keys;
    for (const PairResult& result : run->results) keys.insert(result.key);
    store->Prune(keys);
  }
  return status;
}

absl::StatusOr<int> MergeShards(const BatchArguments& arguments) {
  if (arguments.sources.empty()) {
    return absl::InvalidArgumentError(
        "--merge joins folders: onnxcmp batch --merge DIR... --out DIR");
  }
  OC_ASSIGN_OR_RETURN(const std::vector<PairResult> before, ResultsBefore(arguments));
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<ResultStore> store, ResultStore::Open(arguments.out));
  OC_ASSIGN_OR_RETURN(const std::vector<PairResult> results,
                      MergeBatches(arguments.sources, *store));
  return ReportBatch(results, arguments, "", before, BatchShard(), *store);
}

}  // namespace

int BatchCommand(const std::vector<std::string>& command_line) {
  BatchArguments arguments;
  CLI::App app(
      "Compares many pairs of models, each in a process of its own, and reports on all:\n"
      "what differs, and why. Run again, it goes on where it stopped and compares only\n"
      "what has changed.\n"
      "Exit status 0: all as expected, 1: not all, 2: something could not be compared.",
      "onnxcmp batch");
  SetUsage(app, "onnxcmp batch [OPTIONS] SOURCE... --out DIR [-- OPTIONS OF EACH COMPARISON]");
  AddBatchOptions(app, arguments);
  app.footer(
      "Examples:\n"
      "  onnxcmp batch exported/ optimized/ --out night/ --baseline yesterday/\n"
      "  onnxcmp batch zoo/ --against onnxruntime --out check/ -- --sets 1\n\n"
      "docs/batch.md tells of manifests and reports. On a cluster of Ray: the Python\n"
      "package, python -m onnxcmp batch ... --ray.");
  const auto dashes = std::find(command_line.begin(), command_line.end(), "--");
  const std::vector<std::string> own(command_line.begin(), dashes);
  if (dashes != command_line.end()) arguments.options.assign(dashes + 1, command_line.end());
  if (std::find(own.begin(), own.end(), "--ray") != own.end()) {
    PrintError(
        "--ray is in the Python package: pip install 'onnxcmp[ray]', then python -m onnxcmp batch");
    return kFailed;
  }
  if (const std::optional<int> status = Parse(app, own)) return *status;
  absl::StatusOr<int> status = kFailed;
  if (arguments.out.empty() && !arguments.list) {
    status = absl::InvalidArgumentError(
        "a folder for the results is needed: onnxcmp batch SOURCE... --out DIR");
  } else {
    status = arguments.merge ? MergeShards(arguments) : RunBatch(arguments);
  }
  if (status.ok()) return *status;
  PrintError(status.status().message());
  return kFailed;
}

}  // namespace onnxcmp::cli
