// Tests that are made from files, one a case, so that --gtest_filter can choose them.
#ifndef ONNXCMP_TESTS_GOLDEN_REGISTRATION_H_
#define ONNXCMP_TESTS_GOLDEN_REGISTRATION_H_

namespace onnxcmp::testing {

// GoldenContrib.OPERATOR_CASE for the cases of tests/golden/contrib.
void RegisterContribCases();
// Fusions.NAME for the pairs of testdata/fusions.
void RegisterFusions();

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_GOLDEN_REGISTRATION_H_
