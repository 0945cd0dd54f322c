// The outcome of a search for the first bad one of an ordered set of models, as plain data.
#ifndef ONNXCMP_TOOLS_BISECT_BISECTION_H_
#define ONNXCMP_TOOLS_BISECT_BISECTION_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/outcome/chain.h"
#include "tools/bisect/first_bad.h"

namespace onnxcmp {

// One candidate judged.
struct BisectTrial {
  size_t candidate = 0;
  Answer answer = Answer::kNone;
  std::string text;      // why: "different, at most 0.3"; "build: exit status 1"
  bool judged = false;   // compared or checked, and not known for another reason
  bool earlier = false;  // by the run that this one goes on from
  double seconds = 0;
  std::string output;  // the file with the output of the commands; "": none ran
};

struct Bisection {
  std::vector<std::string> candidates;  // their names, in order
  std::string reference;            // the model that a good one agrees with; "": a check decides
  std::string check;                // the check's command; "": a comparison decides
  std::vector<BisectTrial> trials;  // in the order of the search

  // The conclusion from the answers.
  std::optional<size_t> bad;       // the first bad one
  std::optional<size_t> good;      // the last good one before it; of all, if none is bad
  std::vector<size_t> skipped;     // between the two
  std::vector<size_t> good_again;  // good ones after the first bad one

  size_t judged = 0;       // candidates that were compared or checked
  size_t most_judged = 0;  // so many at most, besides those that are skipped

  std::optional<ChainStep> step;   // the last good beside the first bad one, if both are models
  std::optional<ChainStep> whole;  // the reference beside the first bad one
};

// Takes over what the search has found.
void TakeAnswers(const FirstBadSearch& search, Bisection* bisection);
// 0: none is bad; 1: the first bad one is known; 2: it is one of several, since the others were
// skipped, or no candidate could be judged.
int ExitStatusOf(const Bisection& bisection);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_BISECT_BISECTION_H_
