#include "reports/words/not_finite_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/streams/result_text.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

// "Div loop[3]/y", with names as --tolerance takes them.
std::string Named(const ResultStream& stream, int r) {
  const StreamResult& result = stream.results[Index(r)];
  return absl::StrCat(result.path.empty() ? "" : absl::StrCat(PrintableText(result.path), "/"),
                      PrintableText(result.name));
}

std::string TextOf(const NotFiniteOrigin& origin, const ResultStream& stream,
                   const std::string& name) {
  const StreamResult& result = stream.results[Index(origin.result)];
  std::string text = absl::StrCat(
      WhatMade(stream, origin.result), " ", name, " is ",
      origin.value.empty() ? (origin.nan ? "nan" : "infinite") : PrintableText(origin.value));
  if (!origin.index.empty()) absl::StrAppend(&text, " at ", origin.index);
  if (!origin.text.empty()) absl::StrAppend(&text, ": ", PrintableText(origin.text));
  absl::StrAppend(&text, "; ", origin.elements, " of ", Count(result.fingerprint.size, "element"));
  if (!origin.made_from.empty()) {
    absl::StrAppend(&text, "; from ",
                    absl::StrJoin(origin.made_from, ", ", [](std::string* out, const MadeFrom& m) {
                      absl::StrAppend(out, PrintableText(m.name), m.index, kNoBreak, "=", kNoBreak,
                                      PrintableText(m.value));
                    }));
  }
  return text;
}

// The origins of a side that are shown.
std::vector<const NotFiniteOrigin*> Chosen(const NotFinite& side, bool all, int64_t* left_out) {
  std::vector<const NotFiniteOrigin*> chosen;
  bool seen[2] = {};
  for (const NotFiniteOrigin& origin : side.origins) {
    if (!all && !IsWorthTelling(origin)) continue;
    if (!all && seen[origin.nan ? 1 : 0]) {
      ++*left_out;
      continue;
    }
    seen[origin.nan ? 1 : 0] = true;
    chosen.push_back(&origin);
  }
  *left_out += side.more;
  return chosen;
}

bool SameStory(const NotFiniteOrigin& a, const NotFiniteOrigin& b) {
  return a.nan == b.nan && a.reason == b.reason && a.index == b.index && a.elements == b.elements;
}

}  // namespace

std::vector<std::string> NotFiniteText(const NotFinite& side, const ResultStream& stream) {
  int64_t left_out = 0;
  std::vector<std::string> lines;
  for (const NotFiniteOrigin* origin : Chosen(side, /*all=*/true, &left_out)) {
    lines.push_back(TextOf(*origin, stream, Named(stream, origin->result)));
  }
  if (left_out > 0) lines.push_back(absl::StrCat("… ", left_out, " more"));
  return lines;
}

std::vector<std::string> NotFiniteText(const Comparison& comparison, bool all) {
  int64_t left_out[2] = {};
  const auto left = Chosen(comparison.left_not_finite, all, &left_out[0]);
  auto right = Chosen(comparison.right_not_finite, all, &left_out[1]);
  std::vector<std::string> lines;
  for (const NotFiniteOrigin* origin : left) {
    const std::string name = Named(comparison.left, origin->result);
    const auto twin =
        std::find_if(right.begin(), right.end(), [&](const NotFiniteOrigin* candidate) {
          return comparison.alignment.right_to_left[Index(candidate->result)] == origin->result &&
                 SameStory(*candidate, *origin);
        });
    if (twin == right.end()) {
      lines.push_back(absl::StrCat("left: ", TextOf(*origin, comparison.left, name)));
      continue;
    }
    const std::string other = Named(comparison.right, (*twin)->result);
    lines.push_back(absl::StrCat(
        "both: ",
        TextOf(*origin, comparison.left, other == name ? name : absl::StrCat(name, " | ", other))));
    right.erase(twin);
  }
  for (const NotFiniteOrigin* origin : right) {
    lines.push_back(absl::StrCat(
        "right: ", TextOf(*origin, comparison.right, Named(comparison.right, origin->result))));
  }
  const int64_t more = std::max(left_out[0], left_out[1]);
  if (more > 0) {
    lines.push_back(absl::StrCat("… ", more, " more", all ? "" : " (--nan shows them)"));
  }
  return lines;
}

}  // namespace onnxcmp
