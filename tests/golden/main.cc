#include "gtest/gtest.h"
#include "tests/golden/registration.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  onnxcmp::testing::RegisterContribCases();
  onnxcmp::testing::RegisterFusions();
  return RUN_ALL_TESTS();
}
