"""tf.contrib.crf against all taggings of short sequences, gone through one by one."""

import itertools
import unittest

import numpy as np
from flowray import tf
from flowray.tf import contrib

NUM_TAGS = 3
LENGTHS = [4, 2, 1]


def score(potentials, transitions, tags):
    return sum(potentials[step, tag] for step, tag in enumerate(tags)) + sum(transitions[a, b] for a, b in zip(tags, tags[1:]))


class CrfTest(unittest.TestCase):
    def setUp(self):
        scope = tf.Graph().as_default()
        scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)
        random = np.random.RandomState(0)
        self.potentials = random.randn(3, 4, NUM_TAGS).astype(np.float32)
        self.transitions = random.randn(NUM_TAGS, NUM_TAGS).astype(np.float32)
        self.tags = random.randint(0, NUM_TAGS, (3, 4))
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def scores(self, row, length, allowed=None):
        """{tagging: its score}"""
        choices = [range(NUM_TAGS)] * length if allowed is None else [np.flatnonzero(tags) for tags in allowed[row, :length]]
        return {tags: score(self.potentials[row], self.transitions, tags) for tags in itertools.product(*choices)}

    def test_likelihoods_and_norms(self):
        placeholder = tf.placeholder(tf.float32, [None, None, NUM_TAGS])
        given = contrib.crf.crf_log_likelihood(placeholder, self.tags, LENGTHS, self.transitions)[0]
        norms = contrib.crf.crf_log_norm(placeholder, LENGTHS, self.transitions)
        bitmap = np.random.RandomState(1).rand(3, 4, NUM_TAGS) < 0.6
        bitmap[:, :, 1] = True
        of_several = contrib.crf.crf_multitag_sequence_score(placeholder, bitmap, LENGTHS, self.transitions)
        got = self.session.run([given, norms, of_several], {placeholder: self.potentials})
        for row, length in enumerate(LENGTHS):
            norm = np.log(np.sum(np.exp(list(self.scores(row, length).values()))))
            tags = score(self.potentials[row], self.transitions, self.tags[row, :length])
            several = np.log(np.sum(np.exp(list(self.scores(row, length, bitmap).values()))))
            np.testing.assert_allclose([each[row] for each in got], [tags - norm, norm, several], rtol=1e-5, atol=1e-5)

    def test_the_best_taggings(self):
        tags, scores = self.session.run(contrib.crf.crf_decode(self.potentials, self.transitions, LENGTHS))
        for row, length in enumerate(LENGTHS):
            best, highest = max(self.scores(row, length).items(), key=lambda item: item[1])
            self.assertEqual(tags[row].tolist(), [*best, *[0] * (4 - length)])
            self.assertAlmostEqual(scores[row], highest, places=5)
            decoded, of_numpy = contrib.crf.viterbi_decode(self.potentials[row, :length], self.transitions)
            self.assertEqual(decoded, list(best))
            self.assertAlmostEqual(of_numpy, highest, places=5)
        self.assertEqual(tags.dtype, np.int32)

    def test_the_gradient_is_that_of_small_steps(self):
        potentials = tf.placeholder(tf.float32, [None, None, NUM_TAGS])
        total = tf.reduce_sum(contrib.crf.crf_log_likelihood(potentials, self.tags, LENGTHS, self.transitions)[0])
        gradient = self.session.run(tf.gradients(total, potentials)[0], {potentials: self.potentials})
        for place in ((0, 0, 1), (0, 3, 2), (1, 1, 0), (2, 0, 0), (1, 2, 0)):
            values = []
            for step in (0.01, -0.01):
                moved = self.potentials.copy()
                moved[place] += step
                values.append(self.session.run(total, {potentials: moved}))
            self.assertAlmostEqual(gradient[place], (values[0] - values[1]) / 0.02, places=2)

    def test_sequences_of_one_step_and_of_none(self):
        potentials = self.potentials[:, :1]
        likelihood, transitions = contrib.crf.crf_log_likelihood(tf.constant(potentials), self.tags[:, :1], [1, 1, 0])
        self.assertEqual((transitions.name, transitions.shape.as_list()), ("transitions:0", [NUM_TAGS, NUM_TAGS]))
        decoded = contrib.crf.crf_decode(potentials, transitions, [1, 1, 1])
        self.session.run(tf.global_variables_initializer())
        got, (tags, scores) = self.session.run([likelihood, decoded])
        norms = np.log(np.sum(np.exp(potentials[:, 0]), 1))
        np.testing.assert_allclose(got, [*(potentials[row, 0, self.tags[row, 0]] - norms[row] for row in (0, 1)), 0.0], rtol=1e-5)
        self.assertEqual(tags.tolist(), np.argmax(potentials, 2).tolist())
        np.testing.assert_allclose(scores, potentials[:, 0].max(1))


if __name__ == "__main__":
    unittest.main()
