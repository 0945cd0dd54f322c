#include "generate/generation_chain.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "compare/outputs/compared_row.h"
#include "generate/generation_words.h"
#include "generate/render_generation.h"
#include "reports/junit_suite.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {
namespace {

std::string PassName(const Generation& pass) {
  return absl::StrCat(pass.sources.left, " | ", pass.sources.right);
}

// The worst of its steps.
Relation RelationOfPass(const Generation& pass) {
  if (pass.ExitStatus() != 0) return Relation::kDifferent;
  const bool same =
      std::all_of(pass.steps.begin(), pass.steps.end(), [](const GeneratedStep& step) {
        return step.relation.value_or(Relation::kSame) == Relation::kSame;
      });
  return same ? Relation::kSame : Relation::kClose;
}

std::string PassText(const Generation& pass) { return absl::StrJoin(OutcomeLines(pass), "; "); }

// The pass that broke the chain, in one line.
std::string Outcome(const GenerationChain& chain) {
  if (const std::optional<size_t> broken = chain.BrokenBy(); broken.has_value()) {
    return absl::StrCat("pass ", *broken,
                        " is the first whose decoders part: ", PassName(chain.passes[*broken]));
  }
  if (chain.ends.has_value() && chain.ends->ExitStatus() != 0) {
    return absl::StrCat("each pass agrees with the one before, and the last model does not with ",
                        "the first: the changes add up");
  }
  return "all passes agree";
}

// The passes and the ends, with their labels.
std::vector<std::pair<std::string, const Generation*>> Lines(const GenerationChain& chain) {
  std::vector<std::pair<std::string, const Generation*>> lines;
  for (size_t i = 0; i < chain.passes.size(); ++i) {
    lines.emplace_back(absl::StrCat("pass ", i), &chain.passes[i]);
  }
  if (chain.ends.has_value()) lines.emplace_back("ends", &*chain.ends);
  return lines;
}

}  // namespace

int GenerationChain::ExitStatus() const {
  int worst = ends.has_value() ? ends->ExitStatus() : 0;
  for (const Generation& pass : passes) worst = std::max(worst, pass.ExitStatus());
  return worst;
}

std::optional<size_t> GenerationChain::BrokenBy() const {
  for (size_t i = 0; i < passes.size(); ++i) {
    if (passes[i].ExitStatus() != 0) return i;
  }
  return std::nullopt;
}

const Generation& GenerationChain::Shown() const {
  if (const std::optional<size_t> broken = BrokenBy(); broken.has_value()) return passes[*broken];
  return ends.has_value() ? *ends : passes.back();
}

std::string RenderGenerationChain(const GenerationChain& chain, const TableOptions& look) {
  const TableStyle style(look);
  std::string text;
  for (const auto& [label, pass] : Lines(chain)) {
    const Relation relation = RelationOfPass(*pass);
    absl::StrAppend(&text,
                    LabelledLines(absl::StrCat(style.Sign(relation), " ", label),
                                  TableStyle::ColorOf(relation), PassName(*pass), look, style),
                    LabelledLines("", Color::kPlain, PassText(*pass), look, style));
  }
  absl::StrAppend(&text, "\n", LabelledLines("chain", Color::kBold, Outcome(chain), look, style));
  if (chain.ExitStatus() == 0) return absl::StrCat(text, "exit 0\n");
  return absl::StrCat(text, "\n", RenderGeneration(chain.Shown(), look));
}

std::string RenderGenerationChainMarkdown(const GenerationChain& chain) {
  const auto cell = [](const std::string& text) {
    return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}, {"<", "&lt;"}});
  };
  std::string text = absl::StrCat(cell(Outcome(chain)), "\n\n| pass | models | | outcome |\n",
                                  "|---|---|---|---|\n");
  for (const auto& [label, pass] : Lines(chain)) {
    absl::StrAppend(&text, "| ", label, " | ", cell(PassName(*pass)), " | ",
                    RelationName(RelationOfPass(*pass)), " | ", cell(PassText(*pass)), " |\n");
  }
  if (chain.ExitStatus() == 0) return text;
  return absl::StrCat(text, "\n", RenderGenerationMarkdown(chain.Shown()));
}

std::string RenderGenerationChainJunit(const GenerationChain& chain) {
  JunitSuite suite;
  for (const auto& [label, pass] : Lines(chain)) {
    const int status = pass->ExitStatus();
    const char* const kind = status == 0 ? "" : status == 1 ? "failure" : "error";
    suite.Add("chain", absl::StrCat(label, ": ", PassName(*pass)), kind, PassText(*pass), "");
  }
  return suite.Take(absl::StrJoin(chain.models, " | "), Outcome(chain));
}

}  // namespace onnxcmp
