"""tf.keras.preprocessing.text."""

import collections as _collections
import hashlib as _hashlib
import json as _json

import numpy as _np

_FILTERS = "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n"


def text_to_word_sequence(text, filters=_FILTERS, lower=True, split=" "):
    """The words of a text."""
    text = text.lower() if lower else text
    text = text.translate(str.maketrans({sign: split for sign in filters}))
    return [word for word in text.split(split) if word]


def hashing_trick(text, n, hash_function=None, filters=_FILTERS, lower=True, split=" "):
    """A number below n for each word, from 1 on; different words may have the same."""
    if hash_function is None:
        hash_function = hash
    elif hash_function == "md5":
        def hash_function(word):
            return int(_hashlib.md5(word.encode()).hexdigest(), 16)
    return [hash_function(word) % (n - 1) + 1 for word in text_to_word_sequence(text, filters, lower, split)]


def one_hot(text, n, filters=_FILTERS, lower=True, split=" "):
    """hashing_trick() by Python's hash."""
    return hashing_trick(text, n, hash, filters, lower, split)


class Tokenizer:
    """Numbers for words, the most frequent first, from 1 on."""

    def __init__(self, num_words=None, filters=_FILTERS, lower=True, split=" ", char_level=False, oov_token=None, analyzer=None, **options):
        document_count = options.pop("document_count", 0)
        if options:
            raise TypeError("Unrecognized keyword arguments: %s" % options)
        self.word_counts, self.word_docs = _collections.OrderedDict(), _collections.defaultdict(int)
        self.filters, self.split, self.lower, self.num_words, self.document_count = filters, split, lower, num_words, document_count
        self.char_level, self.oov_token, self.analyzer = char_level, oov_token, analyzer
        self.index_docs, self.word_index, self.index_word = _collections.defaultdict(int), {}, {}

    def _words(self, text):
        if self.char_level or isinstance(text, list):
            if self.lower:
                text = [word.lower() for word in text] if isinstance(text, list) else text.lower()
            return text
        return text_to_word_sequence(text, self.filters, self.lower, self.split) if self.analyzer is None else self.analyzer(text)

    def fit_on_texts(self, texts):
        """Learns the words."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        ranked = [word for word, _ in sorted(self.word_counts.items(), key=lambda item: item[1], reverse=True)]
        if self.oov_token is not None:
            ranked.insert(0, self.oov_token)
        self.word_index = {word: number for number, word in enumerate(ranked, 1)}
        self.index_word = {number: word for word, number in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences):
        """Learns how frequent numbers are."""
        self.document_count += len(sequences)
        for sequence in sequences:
            for number in set(sequence):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts):
        """Numbers for the words of each text."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts):
        """The same, one by one."""
        unknown = self.word_index.get(self.oov_token)
        for text in texts:
            numbers = []
            for word in self._words(text):
                number = self.word_index.get(word)
                if number is None or self.num_words and number >= self.num_words:
                    number = unknown
                if number is not None:
                    numbers.append(number)
            yield numbers

    def sequences_to_texts(self, sequences):
        """The words of numbers, as texts."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences):
        """The same, one by one."""
        unknown = self.word_index.get(self.oov_token)
        for sequence in sequences:
            words = []
            for number in sequence:
                word = self.index_word.get(number)
                if word is None or self.num_words and number >= self.num_words:
                    word = self.index_word[unknown] if unknown is not None else None
                if word is not None:
                    words.append(word)
            yield " ".join(words)

    def texts_to_matrix(self, texts, mode="binary"):
        """A row for each text, with a column for each word."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences, mode="binary"):
        """A row for each sequence, with a column for each number."""
        if not self.num_words and not self.word_index:
            raise ValueError("Specify a dimension (`num_words` argument), or fit on some text data first.")
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        columns = self.num_words or len(self.word_index) + 1
        matrix = _np.zeros((len(sequences), columns))
        for row, sequence in zip(matrix, sequences):
            counts = _collections.Counter(number for number in sequence if number < columns)
            for number, count in counts.items():
                if mode == "count":
                    row[number] = count
                elif mode == "freq":
                    row[number] = count / len(sequence)
                elif mode == "binary":
                    row[number] = 1
                elif mode == "tfidf":
                    documents = self.index_docs.get(number, 0)
                    row[number] = (1 + _np.log(count)) * _np.log(1 + self.document_count / (1 + documents))
                else:
                    raise ValueError("Unknown vectorization mode:", mode)
        return matrix

    def get_config(self):
        """What it was made of and has learned."""
        return {"num_words": self.num_words, "filters": self.filters, "lower": self.lower, "split": self.split, "char_level": self.char_level,
                "oov_token": self.oov_token, "document_count": self.document_count, "word_counts": _json.dumps(self.word_counts),
                "word_docs": _json.dumps(self.word_docs), "index_docs": _json.dumps(self.index_docs),
                "index_word": _json.dumps(self.index_word), "word_index": _json.dumps(self.word_index)}

    def to_json(self, **options):
        """The config as text."""
        return _json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **options)


def tokenizer_from_json(json_string):
    """The Tokenizer that to_json() told of."""
    config = _json.loads(json_string)["config"]
    learned = {name: _json.loads(config.pop(name)) for name in ("word_counts", "word_docs", "index_docs", "index_word", "word_index")}
    tokenizer = Tokenizer(**config)
    tokenizer.word_counts, tokenizer.word_docs = learned["word_counts"], learned["word_docs"]
    tokenizer.word_index = learned["word_index"]
    tokenizer.index_docs = {int(number): count for number, count in learned["index_docs"].items()}
    tokenizer.index_word = {int(number): word for number, word in learned["index_word"].items()}
    return tokenizer
