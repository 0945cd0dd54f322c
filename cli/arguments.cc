#include "cli/arguments.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/process/messages.h"
#include "cli/process/time_option.h"
#include "cli/process/version_text.h"
#include "evaluator/base/status_macros.h"
#include "feed/generated_targets.h"
#include "ops/operators.h"
#include "record/text/display_text.h"
#include "record/text/meant_name.h"

namespace onnxcmp::cli {
namespace {

constexpr char kMaxMemory[] = "--max-memory";
constexpr char kMaxTime[] = "--max-time";

class HelpFormatter : public CLI::Formatter {
 public:
  // `common` names the options of the short help; without any there is one help.
  HelpFormatter(std::string usage, std::vector<std::string> common)
      : usage_(std::move(usage)), common_(std::move(common)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return absl::StrCat("\nUsage: ", usage_, "\n");
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (common_.empty() || mode != CLI::AppFormatMode::Normal) {
      return CLI::Formatter::make_help(app, std::move(name), mode);
    }
    std::vector<const CLI::Option*> options;
    for (const std::string& option : common_) options.push_back(app->get_option(option));
    options.push_back(app->get_help_all_ptr());
    return absl::StrCat(make_description(app), make_usage(app, name), make_positionals(app),
                        make_group("Common options", false, std::move(options)), "\n",
                        make_footer(app));
  }

 private:
  std::string usage_;
  std::vector<std::string> common_;
};

// The words of an error: of an unknown option the nearest one that there is.
std::string Mistake(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return text;
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back(absl::StrCat("--", name));
  }
  const std::vector<std::string> given = app.remaining();
  const auto unknown = std::find_if(given.begin(), given.end(), [](const std::string& word) {
    return absl::StartsWith(word, "-");
  });
  if (unknown == given.end()) return text;
  const std::string option = unknown->substr(0, unknown->find('='));
  return absl::StrCat("there is no option ", PrintableText(option), NearestWord(option, names));
}

}  // namespace

void SetUsage(CLI::App& app, const std::string& usage, const std::vector<std::string>& common) {
  app.formatter(std::make_shared<HelpFormatter>(usage, common));
  if (!common.empty()) {
    app.set_help_flag("-h", "Print the most common options");
    app.set_help_all_flag("--help", "Print all options");
  }
  // The last value of a repeated option counts, so that a script can be overridden.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

std::optional<int> Parse(CLI::App& app, const std::vector<std::string>& arguments) {
  // CLI11 expects the last argument first. It reports by exceptions, which are handled here.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return PrintOutput(app.help()) ? kAgree : kFailed;
  } catch (const CLI::CallForAllHelp&) {
    return PrintOutput(app.help("", CLI::AppFormatMode::All)) ? kAgree : kFailed;
  } catch (const CLI::CallForVersion&) {
    return PrintOutput(VersionText()) ? kAgree : kFailed;
  } catch (const CLI::ParseError& error) {
    PrintError(absl::StrCat(Mistake(app, error), "; see ", app.get_name(), " --help"));
    return kFailed;
  }
  return std::nullopt;
}

void Watch(const CLI::App& app, Interruption& interruption) {
  const CLI::Option* memory = app.get_option_no_throw(kMaxMemory);
  const CLI::Option* time = app.get_option_no_throw(kMaxTime);
  interruption.Watch(memory == nullptr || memory->empty() ? 0 : memory->as<int64_t>(),
                     time == nullptr || time->empty()
                         ? absl::InfiniteDuration()
                         : ReadTime(time->as<std::string>()).value_or(absl::InfiniteDuration()),
                     kFailed);
}

std::optional<int> Parse(CLI::App& app, const std::vector<std::string>& arguments,
                         Interruption& interruption) {
  const std::optional<int> status = Parse(app, arguments);
  if (!status.has_value()) Watch(app, interruption);
  return status;
}

absl::Status ParseQuietly(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::Success&) {
    return absl::InvalidArgumentError("help and version are for the command line");
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(Mistake(app, error));
  }
  return absl::OkStatus();
}

std::string NearestWord(const std::string& word, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::is_permutation(word.begin(), word.end(), name.begin(), name.end())) {
      return absl::StrCat("; did you mean `", name, "`?");
    }
  }
  return DidYouMean(word, names);
}

absl::Status WithNearestFile(const std::string& path, const absl::Status& status) {
  constexpr size_t kMostNames = 10'000;
  const std::filesystem::path missing(path);
  std::error_code error;
  if (status.ok() || std::filesystem::exists(missing, error)) return status;
  const std::filesystem::path folder = missing.has_parent_path() ? missing.parent_path() : ".";
  std::vector<std::string> names;
  std::filesystem::directory_iterator it(folder, error);
  for (; !error && it != std::filesystem::directory_iterator() && names.size() < kMostNames;
       it.increment(error)) {
    names.push_back(PrintableText(it->path().filename().string()));
  }
  std::sort(names.begin(), names.end());
  return {status.code(),
          absl::StrCat(status.message(), NearestWord(missing.filename().string(), names))};
}

CLI::Validator OneOf(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& text) {
        if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
        return absl::StrCat("does not take `", PrintableText(text), "`", NearestWord(text, words),
                            "; there are ", absl::StrJoin(words, ", "));
      },
      "");
}

CLI::Validator NotNegative() {
  return CLI::Validator(
      [](std::string& text) {
        double number = 0;
        const bool good = absl::SimpleAtod(text, &number) && std::isfinite(number) && number >= 0;
        return good ? std::string() : "must be a number that is not negative";
      },
      "");
}

CLI::Validator Quietly(CLI::Validator check) {
  check.description("");
  return check;
}

void AddExpandFunctions(CLI::App& app, bool& expand_functions) {
  app.add_flag("--expand-functions", expand_functions,
               "Run operators through their definition by others");
}

absl::Status CheckWritten(const std::vector<std::string>& written,
                          const std::vector<std::string>& read) {
  for (const std::string& file : written) {
    for (const std::string& other : read) {
      std::error_code error;
      if (!std::filesystem::equivalent(file, other, error)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(file, " is read by this command: it is not written over"));
    }
  }
  return absl::OkStatus();
}

CLI::Option* AsSize(CLI::Option* option, int64_t least) {
  constexpr int64_t kMost = int64_t{1} << 62;
  return option->type_name("SIZE")
      ->transform(Quietly(CLI::AsSizeValue(false)))
      ->check(Quietly(CLI::Range(least, kMost)));
}

void RunOptions::AddTo(CLI::App& app) {
  app.add_option("--seed", seed, "Seed of the numbers of made-up inputs (0)")
      ->group(kInputs)
      ->type_name("N");
  app.add_flag("--ramp", ramp, "Fill made-up inputs with 0, 1, 2, ...")->group(kInputs);
  app.add_option("--dim", dims, "Size of a free dimension; repeatable")
      ->group(kInputs)
      ->type_name("NAME=N")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--functions", functions, "Local functions: inline or keep (inline)")
      ->group(kExecution)
      ->type_name("HOW")
      ->check(OneOf({"inline", "keep"}));
  app.add_option("--threads", threads, "Threads to use; 0: one for each core (0)")
      ->group(kExecution)
      ->type_name("N")
      ->check(Quietly(CLI::Range(0, 1024)));
  AsSize(app.add_option("--max-tensor", max_tensor, "Limit for one tensor (4G)"), 1)
      ->group(kExecution);
  AsSize(app.add_option_function<int64_t>(
             kMaxMemory,
             [this](int64_t bytes) {
               memory = bytes > 0 ? std::make_shared<MemoryAccount>(bytes,
                                                                    std::make_shared<SpareMemory>())
                                  : nullptr;
             },
             "Limit for all that the program holds; 0: none (0)"))
      ->group(kExecution);
  AddTime(app, kMaxTime, max_time, "Limit for the command's time: 30s, 2m (any)")
      ->group(kExecution);
  // Its old name, which took GiB: neither an unknown option nor silently another number.
  app.add_option_function<std::string>(
         "--memory-limit",
         [](const std::string& /*gib*/) {
           throw CLI::ValidationError(
               "--memory-limit",
               "is called --max-tensor SIZE now, in bytes or with a unit: 4G, 512M");
         })
      ->group("");
  app.add_option("--max-steps", max_steps, "Limit for the nodes of a run; 0: none (0)")
      ->group(kExecution)
      ->type_name("N")
      ->check(Quietly(CLI::NonNegativeNumber));
  app.add_flag("--follow-links", follow_links, "Follow links out of the folder to external data")
      ->group(kExecution);
  app.add_option("--nchwc-block", nchwc_block, "Channels in a block of com.microsoft.nchwc: 8, 16")
      ->group(kExecution)
      ->type_name("N")
      ->check(Quietly(CLI::IsMember({8, 16})));
  app.add_flag("-q,--quiet", quiet, "Print only errors on standard error");
}

LoadOptions RunOptions::load() const {
  LoadOptions options;
  options.functions = functions == "keep" ? Functions::kKeep : Functions::kInline;
  options.follow_links = follow_links;
  return options;
}

OpRegistry RunOptions::operators() const { return AllOperators({.nchwc_block = nchwc_block}); }

std::string RunOptions::Assumption(const Graph& graph) const {
  const bool is_blocked = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                      [](const Node& node) { return node.domain == kNchwcDomain; });
  if (nchwc_block != 0 || !is_blocked) return "";
  return "blocks of 16 channels are assumed where nothing tells; if it was optimized without "
         "AVX-512: --nchwc-block 8";
}

EvaluatorOptions RunOptions::evaluator() const {
  EvaluatorOptions options;
  options.threads = threads;
  options.seed = seed.value_or(0);
  options.max_steps = max_steps;
  options.max_tensor = max_tensor.value_or(options.max_tensor);
  options.memory = memory;
  return options;
}

absl::StatusOr<GeneratedInputs> RunOptions::generated(
    const std::vector<const Graph*>& graphs) const {
  std::vector<std::string> known;
  for (const Graph* graph : graphs) {
    for (const std::string& name : FreeDimensions(*graph)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        known.push_back(name);
      }
    }
  }
  GeneratedInputs generated;
  generated.seed = seed;
  generated.ramp = ramp;
  generated.max_tensor = evaluator().max_tensor;
  generated.memory = memory;
  for (const std::string& dim : dims) {
    const size_t sign = dim.rfind('=');
    int64_t size = 0;
    if (sign == std::string::npos || !absl::SimpleAtoi(dim.substr(sign + 1), &size) || size < 0) {
      return absl::InvalidArgumentError(absl::StrCat("--dim ", dim, ": should be NAME=N"));
    }
    const std::string name = dim.substr(0, sign);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--dim ", dim, ": no input has such a dimension",
          known.empty() ? "" : absl::StrCat("; there are: ", absl::StrJoin(known, ", "))));
    }
    generated.dims[name] = size;
  }
  return generated;
}

absl::StatusOr<MatchedFeeds> RunOptions::feeds(const Graph& graph, const std::string& file,
                                               bool partial) const {
  OC_ASSIGN_OR_RETURN(const GeneratedInputs made_up, generated({&graph}));
  if (!file.empty()) {
    OC_ASSIGN_OR_RETURN(FeedFile opened, FeedFile::Open(file, evaluator().max_tensor));
    return opened.FeedsFor(graph, partial);
  }
  OC_ASSIGN_OR_RETURN(const std::vector<NamedValue> values, GenerateInputs(graph, made_up));
  return MatchFeeds(values, graph, "the model");
}

}  // namespace onnxcmp::cli
