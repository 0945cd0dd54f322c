// A cause of a difference: plain data.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/causes/repro.h"
#include "compare/in_double/shadow.h"
#include "record/differences/tensor_difference.h"
#include "record/streams/result_stream.h"
#include "record/text/attribute_text.h"

namespace onnxcmp {

enum class CauseKind : uint8_t {
  kOperator,
  kInitializer,
  kInput,
  kPrecision,      // passes through a coarser type on one side only
  kApproximation,  // other operators, a little apart: a tanh form in place of an erf
  kQuantization,   // quantized on one side only
};
absl::string_view CauseKindName(CauseKind kind);
// True for a mistake, false for another way to compute the same.
bool IsMistake(CauseKind kind);

// Place of a cause inside a node: in a branch, an iteration, or the body of a function that is kept
// as one node.
struct CauseInBody {
  // The pair of the main graph whose nodes have the bodies around it. These nodes on the left's
  // values show the difference, too.
  int left = kNone;
  int right = kNone;
  // As Result::path and Result::name have it: "loop_1[3]/if_2[then_branch]", "sum". An initializer
  // of a body, which is no result, has the path of the iteration where it was found; a result that
  // the body reads from around it has the path of the graph that it is from.
  std::string left_path, left_name;
  std::string right_path, right_name;
};

// The distance of the outputs, against the size of their elements, with a cause and with the left's
// value in its place: the certificate that it is one.
struct Mending {
  // True if it makes the outputs agree, and nothing else does.
  bool verified() const { return agree && !agreed; }
  // By how much it brings the outputs nearer; infinite if they were not finite.
  double gain() const;

  double before = 0;
  double after = 0;
  bool agreed = false;  // the outputs agree with the cause, too
  bool agree = false;   // they agree without it
  bool others = false;  // all other causes were corrected for both
};

// A pair that diverges by itself: its inputs agree, its outputs do not.
struct Cause {
  // Results; the pair. In a body: those of the first iteration that diverges, but the pair around
  // it where the streams lack them (initializers of bodies, functions, depths that are left out).
  int left = kNone;
  int right = kNone;
  std::optional<CauseInBody> in_body;
  CauseKind kind = CauseKind::kOperator;
  // How far the right's node is from the left's result when it is given the left's values.
  std::optional<TensorDifference> local;
  // How many such places there are with the same operators on both sides, this one included: only
  // the first of an approximation or a quantization is listed.
  int count = 1;
  // How far the outputs are apart by this cause alone, against the size of their elements; nothing
  // if that was not computed, as where there is no other.
  std::optional<double> effect;
  // Nothing if that was not tried, as for what is no mistake, or where the outputs agree.
  std::optional<Mending> mending;
  std::string not_tried;  // why it cannot be tried, though it is a mistake
  // How far the two are apart in double on the left's values, against the size of the elements, and
  // where they agree then which side's nodes are nearer to it. Nothing for constants and integers.
  std::optional<TruthFinding> truth;
  std::optional<double> apart;
  std::optional<double> most_apart;  // the greatest difference of two elements in double
  // Both nodes' attributes, where both nodes are known.
  std::vector<AttributePair> attributes;
  std::string text;  // the difference in one line without the names: operators, attributes, inputs
  // Found by the review of scales and zero points.
  bool review = false;
  // The right's type cannot hold the left's value.
  bool overflow = false;
  // A known approximation: the tanh form of Gelu in place of the exact one with erf.
  bool known_form = false;
  // The right's result whose region was judged. It is `right` unless only one node or constant of
  // that region can be at fault.
  int judged = kNone;
  // Both regions as models of their own, if that was asked for, and the folder where they were
  // written; or the reason why there are none.
  std::shared_ptr<const Repro> repro;
  std::string repro_folder;
  std::string no_repro;
};

// A review's reason against a finding of the search.
enum class Veto : uint8_t {
  kAfterOverflow,
  kBesideFailure,
  kAgreesWithAnother,
  kNoGain,
  kInMistakenLayer,
  kSameShape,
  kCounterpart,
  kHonestConversion,
};

// "no_gain".
absl::string_view VetoName(Veto veto);
// "correcting it brings the outputs no nearer".
absl::string_view VetoText(Veto veto);

// A cause that a review has dismissed.
struct DismissedCause {
  Cause cause;
  Veto veto = Veto::kNoGain;
};

// Nothing: the cause stays.
using CauseReview = std::function<std::optional<Veto>(const Cause& cause)>;

// Moves the causes that have a veto to the dismissed ones.
void Dismiss(const CauseReview& review, std::vector<Cause>* causes,
             std::vector<DismissedCause>* dismissed);

// The certificate in words: "mending it makes the outputs agree", "suspected: it cannot be tried,
// because ..."; "" if there is nothing to say.
std::string CertificateText(const Cause& cause);
// "mending it shrinks the difference from 3.1 to 0.002".
std::string ShrinkingText(double before, double after);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_H_
