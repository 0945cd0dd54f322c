// Einsum as transposed matrices, their products and sums.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "evaluator/base/status_macros.h"
#include "prove/definition.h"

namespace onnxcmp {
namespace {

// Letters of an equation; digits are the axes of an ellipsis, 0 the last one.
using AxisLetters = std::string;

struct NamedTerm {
  std::string name;
  AxisLetters axes;
};

class EinsumTerms {
 public:
  explicit EinsumTerms(Definition& d) : d_(d) {}

  absl::Status Define() {
    const std::string equation = absl::StrReplaceAll(d_.of().String("equation", ""), {{" ", ""}});
    const std::vector<std::string> sides = absl::StrSplit(equation, "->");
    const std::vector<std::string> inputs = absl::StrSplit(sides.front(), ',');
    for (size_t i = 0; i < inputs.size(); ++i) {
      OC_RETURN_IF_ERROR(Read(static_cast<int>(i), inputs[i]));
    }
    std::string ellipsis;
    for (int64_t i = most_ellipsis_; i > 0; --i) absl::StrAppend(&ellipsis, i - 1);
    if (sides.size() > 1) {
      output_ = absl::StrReplaceAll(sides[1], {{"...", ellipsis}});
    } else {
      output_ = ellipsis;
      for (const auto& [letter, count] : counts_) {
        if (std::isalpha(letter) != 0 && count == 1) output_ += letter;
      }
    }
    NamedTerm product = Plain(0);
    for (size_t i = 1; i < terms_.size(); ++i) {
      AxisLetters kept = output_;
      for (size_t j = i + 1; j < terms_.size(); ++j) kept += terms_[j].axes;
      product = Product(product, Plain(i), kept);
    }
    product = Summed(product, output_);
    d_.Out(0, Ordered(product, output_));
    return absl::OkStatus();
  }

 private:
  static bool Has(const AxisLetters& axes, char letter) {
    return axes.find(letter) != std::string::npos;
  }

  // The axes of an input, and how long they are.
  absl::Status Read(int input, const std::string& term) {
    const Shape& shape = d_.ShapeOf(input);
    const auto letters = static_cast<int64_t>(
        std::count_if(term.begin(), term.end(), [](char c) { return std::isalpha(c) != 0; }));
    const int64_t rest = static_cast<int64_t>(shape.size()) - letters;
    if (rest < 0 || rest > 9) return NoMeaning("an equation of another rank");
    std::string ellipsis;
    for (int64_t i = rest; i > 0; --i) absl::StrAppend(&ellipsis, i - 1);
    most_ellipsis_ = std::max(most_ellipsis_, rest);
    const AxisLetters axes = absl::StrReplaceAll(term, {{"...", ellipsis}});
    if (axes.size() != shape.size()) return NoMeaning("an equation of another rank");
    for (size_t i = 0; i < axes.size(); ++i) {
      ++counts_[axes[i]];
      sizes_[axes[i]] = std::max(sizes_.try_emplace(axes[i], 0).first->second, shape[i]);
    }
    terms_.push_back({d_.In(input), axes});
    return absl::OkStatus();
  }

  Shape SizesOf(const AxisLetters& axes) const {
    Shape sizes;
    for (const char letter : axes) sizes.push_back(sizes_.at(letter));
    return sizes;
  }
  int64_t CountOf(const AxisLetters& axes) const {
    int64_t count = 1;
    for (const char letter : axes) count *= sizes_.at(letter);
    return count;
  }

  // An input with each axis once, by the elements of its diagonal, and without those that have one
  // element for many.
  NamedTerm Plain(size_t input) {
    const NamedTerm& term = terms_[input];
    const Shape& shape = d_.ShapeOf(static_cast<int>(input));
    AxisLetters axes;
    for (size_t i = 0; i < shape.size(); ++i) {
      const char letter = term.axes[i];
      if (!Has(axes, letter) && shape[i] == sizes_[letter]) axes += letter;
    }
    if (axes == term.axes) return term;
    std::vector<int64_t> places;
    for (int64_t i = 0; i < CountOf(axes); ++i) {
      std::map<char, int64_t> at;
      int64_t rest = i;
      for (size_t j = axes.size(); j-- > 0; rest /= sizes_[axes[j]]) {
        at[axes[j]] = rest % sizes_[axes[j]];
      }
      int64_t place = 0;
      for (size_t j = 0; j < shape.size(); ++j) {
        place = place * shape[j] + (shape[j] == 1 ? 0 : at[term.axes[j]]);
      }
      places.push_back(place);
    }
    const std::string flat = d_.Reshaped(term.name, {-1});
    return {d_.Reshaped(d_.Add("Gather", {flat, d_.Integers(places)}), SizesOf(axes)), axes};
  }

  // Without the axes that nobody keeps.
  NamedTerm Summed(const NamedTerm& term, const AxisLetters& kept) {
    std::vector<int64_t> axes;
    AxisLetters rest;
    for (size_t i = 0; i < term.axes.size(); ++i) {
      if (Has(kept, term.axes[i])) {
        rest += term.axes[i];
      } else {
        axes.push_back(static_cast<int64_t>(i));
      }
    }
    if (axes.empty()) return term;
    return {d_.Add("ReduceSum", {term.name, d_.Integers(axes)}, {{"keepdims", int64_t{0}}}), rest};
  }

  std::string Ordered(const NamedTerm& term, const AxisLetters& order) {
    std::vector<int64_t> places;
    for (const char letter : order) places.push_back(static_cast<int64_t>(term.axes.find(letter)));
    return order == term.axes ? term.name : d_.Transposed(term.name, places);
  }

  // Matrices of the axes that one of both has alone, side by side along those that both have.
  NamedTerm Product(const NamedTerm& left, const NamedTerm& right, const AxisLetters& kept) {
    const NamedTerm a = Summed(left, right.axes + kept);
    const NamedTerm b = Summed(right, left.axes + kept);
    AxisLetters batch;
    AxisLetters summed;
    AxisLetters rows;
    AxisLetters columns;
    for (const char letter : a.axes) {
      (!Has(b.axes, letter) ? rows : Has(kept, letter) ? batch : summed) += letter;
    }
    for (const char letter : b.axes) {
      if (!Has(a.axes, letter)) columns += letter;
    }
    const int64_t many = CountOf(batch);
    const int64_t terms = CountOf(summed);
    const std::string product = d_.Add(
        "MatMul",
        {d_.Reshaped(Ordered(a, batch + rows + summed), {many, CountOf(rows), terms}),
         d_.Reshaped(Ordered(b, batch + summed + columns), {many, terms, CountOf(columns)})});
    const AxisLetters axes = batch + rows + columns;
    return {d_.Reshaped(product, SizesOf(axes)), axes};
  }

  Definition& d_;
  std::vector<NamedTerm> terms_;
  std::map<char, int64_t> sizes_;
  std::map<char, int> counts_;
  int64_t most_ellipsis_ = 0;
  AxisLetters output_;
};

absl::Status Einsum(Definition& d) { return EinsumTerms(d).Define(); }

constexpr DefinitionRow kProductDefinitions[] = {{kOnnxDomain, "Einsum", Einsum}};

}  // namespace

absl::Span<const DefinitionRow> ProductDefinitions() { return kProductDefinitions; }

}  // namespace onnxcmp
