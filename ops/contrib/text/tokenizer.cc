#include <re2/re2.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

using Tokens = std::vector<absl::string_view>;

// Bytes of the character at `position` of valid UTF-8; 1 at its end.
size_t CharacterSize(absl::string_view text, size_t position) {
  if (position >= text.size()) return 1;
  return static_cast<size_t>(U8_COUNT_TRAIL_BYTES(static_cast<uint8_t>(text[position]))) + 1;
}

// Nothing if the text is not valid UTF-8.
std::optional<int64_t> CountCharacters(absl::string_view text) {
  int64_t count = 0;
  const auto size = static_cast<int64_t>(text.size());
  for (int64_t i = 0; i < size; ++count) {
    UChar32 character = 0;
    U8_NEXT(text.data(), i, size, character);  // NOLINT(bugprone-inc-dec-in-conditions): ICU's
    if (character < 0) return std::nullopt;
  }
  return count;
}

// A place in a text.
struct Match {
  size_t begin;
  size_t size;
};

// The leftmost, then longest match at `position` or after it.
std::optional<Match> FindMatch(const RE2& pattern, absl::string_view text, size_t position) {
  const re2::StringPiece all(text.data(), text.size());
  re2::StringPiece found;
  if (position > text.size() ||
      !pattern.Match(all, position, text.size(), RE2::UNANCHORED, &found, 1)) {
    return std::nullopt;
  }
  return Match{static_cast<size_t>(found.data() - text.data()), found.size()};
}

// The attributes as rules.
struct Rules {
  bool by_character = false;
  bool mark = false;
  int64_t least_characters = 1;
  std::string pad;
  std::vector<std::unique_ptr<const RE2>> separators;
  std::unique_ptr<const RE2> token;

  void Keep(absl::string_view token, Tokens* tokens) const {
    if (CountCharacters(token).value_or(0) >= least_characters) tokens->push_back(token);
  }
};

Tokens Characters(absl::string_view text) {
  Tokens tokens;
  for (size_t i = 0; i < text.size(); i += tokens.back().size()) {
    tokens.push_back(text.substr(i, CharacterSize(text, i)));
  }
  return tokens;
}

// Splits a text at matches of the separator. A match of nothing takes away the character after it.
void SplitAt(const Rules& rules, const RE2& separator, absl::string_view text, Tokens* tokens) {
  size_t begin = 0;
  while (const std::optional<Match> match = FindMatch(separator, text, begin)) {
    rules.Keep(text.substr(begin, match->begin - begin), tokens);
    begin = match->begin + (match->size > 0 ? match->size : CharacterSize(text, match->begin));
  }
  if (begin < text.size()) rules.Keep(text.substr(begin), tokens);
}

// The matches. After one that is too short the next is sought one character after its begin.
Tokens Matches(const Rules& rules, absl::string_view text) {
  Tokens tokens;
  size_t begin = 0;
  while (const std::optional<Match> match = FindMatch(*rules.token, text, begin)) {
    const size_t before = tokens.size();
    rules.Keep(text.substr(match->begin, match->size), &tokens);
    begin =
        match->begin + (tokens.size() > before ? match->size : CharacterSize(text, match->begin));
  }
  return tokens;
}

Tokens Tokenize(const Rules& rules, absl::string_view text) {
  if (rules.by_character) return Characters(text);
  if (rules.token != nullptr) return Matches(rules, text);
  Tokens tokens = {text};
  for (const auto& separator : rules.separators) {
    Tokens pieces;
    for (absl::string_view token : tokens) SplitAt(rules, *separator, token, &pieces);
    tokens = std::move(pieces);
  }
  return tokens;
}

absl::Status Run(KernelContext& ctx, const Rules& rules) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  if (x.rank() < 1 || x.rank() > 2) {
    return absl::InvalidArgumentError(absl::StrCat("X must be C or N x C, not ", x.TypeString()));
  }
  if (x.num_elements() == 0) return ctx.SetOutput(0, x);
  std::vector<Tokens> rows;
  size_t width = 0;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const absl::string_view text = x.string_data()[i];
    if (!CountCharacters(text).has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("string ", i, " is not valid UTF-8"));
    }
    rows.push_back(Tokenize(rules, text));
    width = std::max(width, rows.back().size());
  }
  if (rules.mark && width > 0) width += 2;
  Shape shape = x.shape();
  shape.push_back(static_cast<int64_t>(width));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kString, shape));
  std::string* out = width == 0 ? nullptr : y.mutable_string_data();
  for (size_t i = 0; out != nullptr && i < rows.size(); ++i, out += width) {
    std::string* next = out;
    if (rules.mark) *next++ = "\x02";
    for (absl::string_view token : rows[i]) *next++ = std::string(token);
    if (rules.mark) *next++ = "\x03";
    std::fill(next, out + width, rules.pad);
  }
  return ctx.SetOutput(0, std::move(y));
}

absl::StatusOr<std::unique_ptr<const RE2>> Compile(absl::string_view attribute,
                                                   const std::string& text) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(true);
  auto pattern = std::make_unique<const RE2>(text, options);
  if (!pattern->ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(attribute, " \"", text, "\": ", pattern->error()));
  }
  return pattern;
}

absl::StatusOr<Rules> ReadRules(const KernelInit& node) {
  Rules rules;
  rules.mark = node.Flag("mark");
  rules.pad = node.String("pad_value");
  rules.least_characters = node.Int("mincharnum");
  const std::vector<std::string> separators = node.Strings("separators");
  const std::string token = node.String("tokenexp", "");
  if (separators.empty() == token.empty()) {
    return absl::InvalidArgumentError("exactly one of separators and tokenexp must be given");
  }
  rules.by_character = token == "." || (separators.size() == 1 && separators[0].empty());
  if (rules.least_characters < 1 || (rules.by_character && rules.least_characters > 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("mincharnum ", rules.least_characters, " is not ",
                     rules.by_character ? "1, but tokens are characters" : "at least 1"));
  }
  if (rules.by_character) return rules;
  for (const std::string& separator : separators) {
    OC_ASSIGN_OR_RETURN(auto pattern, Compile("separators", separator));
    rules.separators.push_back(std::move(pattern));
  }
  if (!token.empty()) {
    OC_ASSIGN_OR_RETURN(rules.token, Compile("tokenexp", token));
  }
  return rules;
}

// Tokenizer (com.microsoft 1): the tokens of each string along a new last axis, filled up with
// pad_value; with `mark` between "\x02" and "\x03", before the padding. Tokens are what is left
// when one separator (RE2, longest matches) after the other is taken out, or what matches tokenexp;
// characters if the only separator is "" or tokenexp is ".". Those of less than mincharnum
// characters are dropped. If there is no token at all, the last axis is 0, even with marks.
absl::StatusOr<Kernel> Tokenizer(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(Rules rules, ReadRules(node));
  return [rules = std::make_shared<const Rules>(std::move(rules))](KernelContext& ctx) {
    return Run(ctx, *rules);
  };
}

}  // namespace

void RegisterContribTokenizer(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "Tokenizer", {1}, Tokenizer);
}

}  // namespace onnxcmp
