#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "feed/input_candidates.h"
#include "feed/input_mapping.h"
#include "feed/type_text.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostListed = 12;

// Lists all candidates for the other side's inputs.
std::string ListCandidates(const Graph& graph, const std::vector<LoneInput>& alone) {
  const InputCandidates candidates(graph);
  std::vector<std::string> texts;
  size_t more = 0;
  const auto add = [&](const InputCandidate& candidate) {
    if (texts.size() == kMostListed) {
      ++more;
      return;
    }
    texts.push_back(absl::StrCat(candidate.is_input() ? "input" : "initializer", " `",
                                 candidate.name, "` ", TypeText(candidate.type)));
  };
  const auto is_alone = [&](const std::string& name) {
    return std::any_of(alone.begin(), alone.end(),
                       [&](const LoneInput& input) { return input.name == name; });
  };
  // Candidates without a partner first.
  for (const bool first : {true, false}) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (is_alone(candidates[i].name) == first) add(candidates[i]);
    }
  }
  if (more > 0) texts.push_back(absl::StrCat("and ", more, " more"));
  return texts.empty() ? "none" : absl::StrJoin(texts, ", ");
}

}  // namespace

absl::Status CheckNoneAlone(const InputMapping& mapping, const Graph& left, const Graph& right) {
  std::vector<std::string> texts;
  for (const LoneInput& input : mapping.left_alone) {
    if (input.read) texts.push_back(absl::StrCat("left input `", input.name, "`"));
  }
  for (const LoneInput& input : mapping.right_alone) {
    if (input.read) texts.push_back(absl::StrCat("right input `", input.name, "`"));
  }
  if (texts.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      absl::StrJoin(texts, ", "), texts.size() == 1 ? " has" : " have",
      " no counterpart on the other side; left candidates: ",
      ListCandidates(left, mapping.left_alone),
      "; right candidates: ", ListCandidates(right, mapping.right_alone),
      "; --map-input LEFT=RIGHT says which belong together, --left-inputs and --right-inputs give "
      "values"));
}

std::string MappedByText(MappedBy how) {
  switch (how) {
    case MappedBy::kOption:
      return "as told";
    case MappedBy::kName:
      return "by name";
    case MappedBy::kType:
      return "by type and shape";
    case MappedBy::kPlace:
      return "by place in the graph";
    case MappedBy::kOrder:
      return "by order";
  }
  return "";
}

std::vector<std::string> DescribeMapping(const InputMapping& mapping) {
  std::vector<std::string> lines;
  for (const MappedInput& pair : mapping.pairs) {
    const std::string how = absl::StrCat(" (", MappedByText(pair.how), ")");
    if (!pair.right_is_input) {
      lines.push_back(absl::StrCat("left input `", pair.left,
                                   "` takes the value of right initializer `", pair.right, "`",
                                   how));
    } else if (!pair.left_is_input) {
      lines.push_back(absl::StrCat("right input `", pair.right,
                                   "` takes the value of left initializer `", pair.left, "`", how));
    } else if (pair.how != MappedBy::kName) {
      lines.push_back(
          absl::StrCat("left input `", pair.left, "` -> right input `", pair.right, "`", how));
    }
  }
  const auto unread = [&](const std::vector<LoneInput>& inputs, const char* side) {
    for (const LoneInput& input : inputs) {
      if (!input.read) {
        lines.push_back(absl::StrCat(side, " input `", input.name, "` is not read"));
      }
    }
  };
  unread(mapping.left_alone, "left");
  unread(mapping.right_alone, "right");
  return lines;
}

std::vector<std::string> GuessedPairs(const InputMapping& mapping, const Graph& left,
                                      const Graph& right) {
  const auto place = [](const Graph& graph, const std::string& name) {
    return std::find_if(graph.inputs.begin(), graph.inputs.end(),
                        [&](const ValueInfo& input) { return input.name == name; }) -
           graph.inputs.begin();
  };
  std::vector<std::string> guessed;
  for (const MappedInput& pair : mapping.pairs) {
    if (!pair.left_is_input || !pair.right_is_input) continue;
    if (pair.how == MappedBy::kOrder ||
        (pair.how == MappedBy::kPlace && place(left, pair.left) != place(right, pair.right))) {
      guessed.push_back(absl::StrCat(pair.left, " = ", pair.right));
    }
  }
  return guessed;
}

void AddMappingNotes(const InputMapping& mapping, std::vector<std::string>* notes) {
  for (std::string& line : DescribeMapping(mapping)) notes->push_back(std::move(line));
  notes->insert(notes->end(), mapping.warnings.begin(), mapping.warnings.end());
}

}  // namespace onnxcmp
