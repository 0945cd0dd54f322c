#include "compare/fusions/matching/pattern.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/model.h"

namespace onnxcmp {
namespace {

class PatternParser {
 public:
  PatternParser(absl::string_view text, const NamedPatterns& named) : text_(text), named_(named) {}

  absl::StatusOr<Pattern> Whole() {
    OC_ASSIGN_OR_RETURN(Pattern pattern, Choice());
    if (!text_.empty()) return Wrong("nothing more");
    return pattern;
  }

 private:
  absl::Status Wrong(absl::string_view wanted) const {
    return absl::InvalidArgumentError(
        absl::StrCat("a pattern needs ", wanted, " where it has '", text_.substr(0, 24), "'"));
  }

  void SkipSpaces() { text_ = absl::StripLeadingAsciiWhitespace(text_); }

  bool Take(absl::string_view sign) {
    SkipSpaces();
    const bool taken = absl::ConsumePrefix(&text_, sign);
    if (taken) SkipSpaces();
    return taken;
  }

  std::string TakeName() {
    SkipSpaces();
    size_t size = 0;
    while (size < text_.size() && (absl::ascii_isalnum(text_[size]) || text_[size] == '_')) ++size;
    std::string name(text_.substr(0, size));
    text_.remove_prefix(size);
    SkipSpaces();
    return name;
  }

  absl::StatusOr<Pattern> Choice() {
    OC_ASSIGN_OR_RETURN(Pattern first, One());
    if (!Take("|")) return first;
    Pattern choice;
    choice.kind = Pattern::Kind::kChoice;
    choice.parts.push_back(std::move(first));
    do {
      OC_ASSIGN_OR_RETURN(Pattern next, One());
      choice.parts.push_back(std::move(next));
    } while (Take("|"));
    return choice;
  }

  absl::StatusOr<Pattern> Around(Pattern::Kind kind, std::string name = "") {
    OC_ASSIGN_OR_RETURN(Pattern inner, One());
    Pattern pattern;
    pattern.kind = kind;
    pattern.name = std::move(name);
    pattern.parts.push_back(std::move(inner));
    return pattern;
  }

  absl::StatusOr<Pattern> One() {
    SkipSpaces();
    if (text_.empty()) return Wrong("something");
    Pattern pattern;
    if (Take("^")) return Around(Pattern::Kind::kExposed);
    if (Take("&")) return Around(Pattern::Kind::kPeek);
    if (Take("(")) {
      OC_ASSIGN_OR_RETURN(pattern, Choice());
      if (!Take(")")) return Wrong("')'");
      return pattern;
    }
    if (Take("{")) return Folded();
    if (Take("@")) return Named();
    if (Take("?")) {
      OC_ASSIGN_OR_RETURN(pattern, One());
      pattern.kind = Pattern::Kind::kOptional;
      return pattern;
    }
    if (Take("#")) {
      pattern.kind = Pattern::Kind::kConstant;
      return pattern;
    }
    if (Take("~")) {
      pattern.kind = Pattern::Kind::kScalar;
      return pattern;
    }
    if (absl::ascii_isdigit(text_[0]) || text_[0] == '-') return Number();
    std::string name = TakeName();
    if (name == "_") return pattern;
    if (name == "ms" || name == "nchwc" || name == "any") {
      if (!Take(":")) return Wrong("':'");
      pattern.domain = name == "ms" ? std::string(kMicrosoftDomain) : name == "any" ? "*" : name;
      name = TakeName();
    }
    if (name.empty()) return Wrong("a name");
    if (absl::ascii_isupper(name[0])) return Operator(std::move(name), std::move(pattern));
    if (Take("=")) return Around(Pattern::Kind::kDefinition, std::move(name));
    pattern.kind = Pattern::Kind::kVariable;
    pattern.name = std::move(name);
    return pattern;
  }

  absl::StatusOr<double> TakeNumber() {
    SkipSpaces();
    size_t size = text_.empty() || text_[0] != '-' ? 0 : 1;
    while (size < text_.size() && (absl::ascii_isdigit(text_[size]) || text_[size] == '.')) ++size;
    double number = 0;
    if (!absl::SimpleAtod(text_.substr(0, size), &number)) return Wrong("a number");
    text_.remove_prefix(size);
    SkipSpaces();
    return number;
  }

  absl::StatusOr<Pattern> Number() {
    Pattern pattern;
    pattern.kind = Pattern::Kind::kNumber;
    OC_ASSIGN_OR_RETURN(pattern.number, TakeNumber());
    return pattern;
  }

  // A product or a sum, after its '{'.
  absl::StatusOr<Pattern> Folded() {
    Pattern pattern;
    OC_ASSIGN_OR_RETURN(Pattern first, One());
    pattern.parts.push_back(std::move(first));
    pattern.inverse.push_back(false);
    while (!Take("}")) {
      const bool times = Take("*");
      const bool over = !times && Take("/");
      const bool plus = !times && !over && Take("+");
      const bool minus = !times && !over && !plus && Take("-");
      if (!times && !over && !plus && !minus) return Wrong("an operator or '}'");
      pattern.kind = times || over ? Pattern::Kind::kProduct : Pattern::Kind::kSum;
      OC_ASSIGN_OR_RETURN(Pattern next, One());
      pattern.parts.push_back(std::move(next));
      pattern.inverse.push_back(over || minus);
    }
    if (pattern.parts.size() < 2) return Wrong("two parts before");
    return pattern;
  }

  absl::StatusOr<std::vector<std::string>> Arguments() {
    if (!Take("(")) return Wrong("'('");
    std::vector<std::string> arguments;
    int depth = 0;
    size_t from = 0;
    for (size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '(' || c == '{' || c == '[') ++depth;
      if ((c == ',' || c == ')') && depth == 0) {
        arguments.emplace_back(text_.substr(from, i - from));
        from = i + 1;
      }
      if (c == ')' && depth == 0) {
        text_.remove_prefix(i + 1);
        SkipSpaces();
        return arguments;
      }
      if (c == ')' || c == '}' || c == ']') --depth;
    }
    return Wrong("')'");
  }

  absl::StatusOr<Pattern> Named() {
    const std::string name = TakeName();
    const auto found = named_.find(name);
    if (found == named_.end()) {
      return absl::InvalidArgumentError(absl::StrCat("no pattern has the name ", name));
    }
    OC_ASSIGN_OR_RETURN(const std::vector<std::string> arguments, Arguments());
    std::string text = found->second;
    for (size_t i = 0; i < arguments.size(); ++i) {
      text = absl::StrReplaceAll(text, {{absl::StrCat("$", i + 1), arguments[i]}});
    }
    return ParsePattern(text, named_);
  }

  absl::StatusOr<Pattern> Operator(std::string name, Pattern pattern) {
    pattern.kind = Pattern::Kind::kOperator;
    pattern.name = std::move(name);
    if (Take(":")) {
      if (Take("*")) {
        pattern.slot = -1;
      } else {
        OC_ASSIGN_OR_RETURN(const double slot, TakeNumber());
        pattern.slot = static_cast<int>(slot);
      }
    }
    if (Take("[")) {
      do {
        OC_ASSIGN_OR_RETURN(Pattern::Condition condition, TakeCondition());
        pattern.conditions.push_back(std::move(condition));
      } while (Take(","));
      if (!Take("]")) return Wrong("']'");
    }
    if (!Take("(")) return Wrong("'('");
    while (!Take(")")) {
      if (Take("...")) {
        pattern.more_inputs = true;
      } else {
        OC_ASSIGN_OR_RETURN(Pattern part, Choice());
        pattern.parts.push_back(std::move(part));
      }
      Take(",");
    }
    return pattern;
  }

  absl::StatusOr<Pattern::Condition> TakeCondition() {
    Pattern::Condition condition;
    condition.attribute = TakeName();
    if (!Take("=")) return Wrong("'='");
    do {
      if (Take("absent")) {
        condition.absent = true;
        continue;
      }
      OC_ASSIGN_OR_RETURN(const double value, TakeNumber());
      condition.values.push_back(value);
    } while (Take("|"));
    return condition;
  }

  absl::string_view text_;
  const NamedPatterns& named_;
};

}  // namespace

absl::StatusOr<Pattern> ParsePattern(absl::string_view text, const NamedPatterns& named) {
  return PatternParser(text, named).Whole();
}

}  // namespace onnxcmp
