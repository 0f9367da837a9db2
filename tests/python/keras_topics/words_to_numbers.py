"""Tokenizer: what it counts and makes."""

import tensorflow.compat.v1 as tf

from keras_numbers import rounded

text = tf.keras.preprocessing.text
tokenizer = text.Tokenizer(num_words=6, oov_token="?")
tokenizer.fit_on_texts(["The cat sat on the mat.", "The dog ate the cat!"])
print(tokenizer.word_index, sorted(tokenizer.word_counts.items()), tokenizer.document_count)
print(tokenizer.texts_to_sequences(["the cat ate fish", "dog"]), tokenizer.sequences_to_texts([[2, 3, 1]]))
for mode in ("binary", "count", "freq", "tfidf"):
    print(mode, rounded(tokenizer.texts_to_matrix(["the cat the"], mode=mode)))
again = text.tokenizer_from_json(tokenizer.to_json())
print(again.word_index == tokenizer.word_index, text.text_to_word_sequence("Hello, big-world!"), len(text.one_hot("a b c", 10)))
letters = text.Tokenizer(char_level=True, lower=False)
letters.fit_on_texts(["abba"])
print(letters.texts_to_sequences(["bab"]), text.hashing_trick("cat sat", 50, "md5"))
