"""Sounds as frames, spectra, mel bands and cosine coefficients, and back; functions of matrices by their factors."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
def show(name, v): print(name, (np.round(np.asarray(v, np.float64), 4) + 0.0).tolist())
signal, linalg = tf.signal, tf.linalg
time = np.arange(37) / 16.0
sound = np.stack([np.sin(5 * time) + 0.3 * np.cos(11 * time), np.cos(3 * time * time)])
sounds = tf.placeholder(tf.float64, [None, None])
spectra = signal.stft(sounds, 8, 3)
filled = signal.stft(sounds, 8, 3, fft_length=12, window_fn=signal.hamming_window, pad_end=True)
again = signal.inverse_stft(spectra, 8, 3, window_fn=signal.inverse_stft_window_fn(3))
bare = signal.inverse_stft(filled, 8, 3, fft_length=12, window_fn=None)
frames = [signal.frame(sounds, 5, 2), signal.frame(sounds, 7, 6, pad_end=True, pad_value=-1), signal.frame(tf.constant(sound), 50, 2),
          signal.frame(tf.transpose(tf.constant(sound[:, :6])), 3, 2, axis=0)]
added = [signal.overlap_and_add(tf.constant(sound[:, :36].reshape(2, 6, 6)), 4), signal.overlap_and_add(signal.frame(sounds, 4, 1), 3)]
mel = signal.linear_to_mel_weight_matrix(6, 5, 4000.0, 80.0, 1900.0, tf.float64)
bands = tf.log(tf.tensordot(tf.abs(spectra), mel, 1) + 0.1)
cepstra = signal.mfccs_from_log_mel_spectrograms(tf.reshape(bands, [-1, 6]))
slope, = tf.gradients(tf.reduce_sum(tf.abs(spectra) ** 2), sounds)
x = tf.constant(sound[:, :8])
with tf.Session() as sess:
    feed = {sounds: sound}
    show("spectra", tf.abs(spectra).eval(feed)[:, :3])
    for v in (filled[0, -2:], again, bare[0]): show("back", np.real(sess.run(v, feed)))
    for v in frames + added: print(v.shape); show("frames", sess.run(v, feed).reshape(-1)[:40])
    show("mel", mel.eval())
    show("cepstra", cepstra.eval(feed)[:4])
    show("slope", slope.eval(feed)[0])
    for kind in (1, 2, 3, 4):
        for norm in (None, "ortho")[:1 if kind == 1 else 2]:
            for n in (None, 5, 11): show(f"dct {kind} {norm} {n}", sess.run([signal.dct(x, kind, n, norm=norm), signal.idct(x, kind, n, norm=norm)]))
    for window in (signal.vorbis_window, None):
        for norm in (None, "ortho"):
            m = signal.mdct(x, 4, window_fn=window, norm=norm)
            show("mdct", m.eval())
            show("back", signal.inverse_mdct(m, window_fn=window, norm=norm).eval())
    for v in (signal.vorbis_window(6), signal.kaiser_window(5, 4.0), signal.kaiser_window(1), signal.kaiser_bessel_derived_window(8, 3.0), signal.hann_window(4)):
        print(v.dtype, v.shape); show("window", v.eval())
    for axes in (None, 0, [1], [-1, 0]): show("shift", sess.run([signal.fftshift(x[:, :5], axes), signal.ifftshift(x[:, :5], axes)]))
    for make in (lambda: signal.dct(x, 5), lambda: signal.dct(x, norm="no"), lambda: signal.dct(x, 1, norm="ortho"),
                 lambda: signal.linear_to_mel_weight_matrix(0), lambda: signal.linear_to_mel_weight_matrix(lower_edge_hertz=4000.0),
                 lambda: signal.vorbis_window(3, dtype=tf.int32),
                 lambda: linalg.pinv(tf.constant([[1]])), lambda: linalg.pinv(tf.constant([1.0]))):
        try: make()
        except (TypeError, ValueError) as e: print(type(e).__name__)

    a = np.array([[[2, 1, 0.5], [1, 3, 1], [0, 0.25, 1]], [[0, 2, 1], [1, 0, 0], [0.5, 1, -2]]])
    wide = np.array([[1, 2, 3, 4], [2, 4, 6, 8], [1, 0, 1, 1.0]])
    low = np.array([[1, 2], [2, 4], [1, 0], [3, 3.0]])
    show("pinv", linalg.pinv(wide).eval()); show("pinv", linalg.pinv(a).eval()); show("pinv", linalg.pinv(low, rcond=0.4).eval())
    print(linalg.matrix_rank(wide).eval(), linalg.matrix_rank(a).eval().tolist(), linalg.matrix_rank(low, tol=3.0).eval())
    for m in (a, a.astype(np.float32), 9 * a, np.zeros((2, 2)), 1j * a[0]):
        e = linalg.expm(tf.constant(m)).eval()
        show("expm", np.real(e) / max(1, np.abs(e).max())); show("expm", np.imag(e))
    power = tf.constant(a[0])
    show("slope of expm", tf.gradients(tf.reduce_sum(linalg.expm(power)), power)[0].eval())
    for m, b, r in ((low, low[:, :1], 0.0), (low, low, 0.5), (wide[::2], np.eye(2), 0.0)): show("lstsq", linalg.lstsq(m, b, r).eval())
    factors, p = linalg.lu(a)
    show("lu", factors.eval()); print(p.eval().tolist(), p.dtype, linalg.lu(a[0], output_idx_type=tf.int64)[1].dtype)
    show("again", linalg.lu_reconstruct(factors, p).eval())
    show("solve", linalg.lu_solve(factors, p, a[..., :2]).eval()); show("inverse", linalg.lu_matrix_inverse(factors, p).eval())
    rows = np.array([[1, 2, 3, 0], [4, 5, 6, 7], [0, 1, 1, 2.0]])
    three = tf.constant(rows)
    b = tf.constant(np.arange(8.0).reshape(4, 2))
    show("product", linalg.tridiagonal_matmul(three, b).eval()); show("solved", linalg.tridiagonal_solve(three, b).eval())
    show("solved", linalg.tridiagonal_solve(three, b[:, 1]).eval())
    whole = np.diag(rows[1]) + np.diag(rows[0, :3], 1) + np.diag(rows[2, 1:], -1)
    for f, d in (("matrix", tf.constant(whole)), ("sequence", tf.unstack(three))):
        show(f, linalg.tridiagonal_matmul(d, b, diagonals_format=f).eval()); show(f, linalg.tridiagonal_solve(d, b, diagonals_format=f).eval())
