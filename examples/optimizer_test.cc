// A unit test of an optimizer: what it made of a model gives what the model gave. When it does not,
// the test prints the table that the program prints, with the cause at its end.
#include <gtest/gtest.h>

#include "onnxcmp/testing.h"

TEST(OptimizerTest, OutputsStayClose) {
  EXPECT_MODELS_AGREE("affine.onnxtxt", "affine_rewritten.onnxtxt");
}
