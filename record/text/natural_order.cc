#include "record/text/natural_order.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"

namespace onnxcmp {
namespace {

// Takes the number at the start of a text, without its leading zeros.
absl::string_view TakeNumber(absl::string_view* text) {
  const auto* const end = std::find_if_not(text->begin(), text->end(), absl::ascii_isdigit);
  absl::string_view number = text->substr(0, static_cast<size_t>(end - text->begin()));
  text->remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

}  // namespace

bool NaturallyLess(absl::string_view a, absl::string_view b) {
  absl::string_view x = a;
  absl::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(x[0])) &&
        absl::ascii_isdigit(static_cast<unsigned char>(y[0]))) {
      const absl::string_view p = TakeNumber(&x);
      const absl::string_view q = TakeNumber(&y);
      if (p.size() != q.size()) return p.size() < q.size();
      if (p != q) return p < q;
      continue;
    }
    if (x[0] != y[0]) return x.substr(0, 1) < y.substr(0, 1);
    x.remove_prefix(1);
    y.remove_prefix(1);
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

}  // namespace onnxcmp
