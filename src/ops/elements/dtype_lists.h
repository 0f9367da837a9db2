#pragma once
/// The dtype lists of TensorFlow's op definitions, as text for OpRow::attrs. Macros, so that they can stand
/// inside a string literal: "T:type" FLOWRAY_REAL_FLOATS "; alpha:float=0.2".

#define FLOWRAY_REAL_FLOATS "{[float16,bfloat16,float32,float64]}"
#define FLOWRAY_REAL_NUMBERS \
  "{[float32,float64,int32,uint8,int16,int8,int64,bfloat16,uint16,float16,uint32,uint64]}"
#define FLOWRAY_ALL_NUMBERS                                                                               \
  "{[float32,float64,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16," \
  "uint16,"                                                                                               \
  "complex128,float16,uint32,uint64]}"
#define FLOWRAY_INDICES "{[int32,int64]}"
