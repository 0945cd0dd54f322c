// Ids as the rows that they select.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_ID_PURPOSE_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_ID_PURPOSE_H_

#include "compare/inputs/made_up/index_form.h"
#include "compare/inputs/made_up/input_purpose.h"

namespace onnxcmp {

// Makes the limit of `found`, which counts rows, one of ids, and keeps the form with its tables.
// `exact`: nothing is computed after the form's remainder or sum; else only the remainder counts.
void TakeIndexForm(const IndexForm& index, bool exact, InputPurpose* found);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_ID_PURPOSE_H_
