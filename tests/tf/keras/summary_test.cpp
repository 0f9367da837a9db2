// Tables of other widths, letter by letter as tf_keras 2.21 prints them.
#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <string>

namespace flowray::tf::keras {
namespace {

class SummaryTest : public ::testing::Test {
 protected:
  static Sequential model() {
    Sequential model;
    model.add(layers::Dense(3, {.activation = "relu", .input_shape = TensorShape{4}}));
    model.add(layers::Dense(2));
    return model;
  }
  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(SummaryTest, IsAsWideAsItIsAskedFor) {
  EXPECT_EQ(model().summary({.line_length = 40}), R"(Model: "sequential"
________________________________________
 Layer (type)     Output Shape    Param 
                                  #     
========================================
 dense (Dense)    (None, 3)       15    
                                        
 dense_1 (Dense)  (None, 2)       8     
                                        
========================================
Total params: 23 (92.00 Byte)
Trainable params: 23 (92.00 Byte)
Non-trainable params: 0 (0.00 Byte)
________________________________________
)");
}

TEST_F(SummaryTest, ColumnsEndWhereTheyAreAskedTo) {
  EXPECT_EQ(model().summary({.line_length = 80, .positions = {20, 50, 70}}), R"(Model: "sequential"
________________________________________________________________________________
 Layer (type)       Output Shape                  Param #             
================================================================================
 dense (Dense)      (None, 3)                     15                  
                                                                                
 dense_1 (Dense)    (None, 2)                     8                   
                                                                                
================================================================================
Total params: 23 (92.00 Byte)
Trainable params: 23 (92.00 Byte)
Non-trainable params: 0 (0.00 Byte)
________________________________________________________________________________
)");
  const std::string parts = model().summary({.positions = {.2, .6, 1.}});
  EXPECT_NE(parts.find(" Layer (typ  Output Shape              Param #                   \n e)"),
            std::string::npos);
}

TEST_F(SummaryTest, RefusesWhatMakesNoTable) {
  const Sequential model = SummaryTest::model();
  EXPECT_THROW((void)model.summary({.positions = {.5}}), ValueError);
  EXPECT_THROW((void)model.summary({.positions = {.5, .4, 1.}}), ValueError);
  EXPECT_THROW((void)model.summary({.line_length = 4}), ValueError);
}

}  // namespace
}  // namespace flowray::tf::keras
