"""Tables in CSV files: columns of several dtypes, guessed ones, names, labels, quotes, missing values, and records that are wrong."""

import gzip
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

Csv, make_csv = tf.data.experimental.CsvDataset, tf.data.experimental.make_csv_dataset


def plain(value):
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.tolist() if hasattr(value, "tolist") else value


def show(title, dataset, most=8):
    print(title)
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        for _ in range(most):
            try:
                print("  ", plain(sess.run(element)))
            except tf.errors.OutOfRangeError:
                return print("   end")
            except tf.errors.InvalidArgumentError as error:
                print("  ", next(line for line in str(error).splitlines() if line.startswith(("Can't", "Expect", "Field", "Unquoted"))))


with tempfile.TemporaryDirectory() as folder:
    def written(name, text, pack=False):
        path = os.path.join(folder, name)
        with gzip.open(path, "wt") if pack else open(path, "w", newline="") as file:
            file.write(text)
        return path

    flowers = written("flowers.csv", 'size,colour,petals,"kind, full"\n1.5,red,5,rose\n,blue,7,"corn ""flower"""\n2.25,,3,"li\nly"\n')
    more = written("more.csv", 'size,colour,petals,"kind, full"\n9,white,6,snowdrop\n')
    defaults = [[0.0], ["none"], tf.int32, tf.string]
    show("columns", Csv(flowers, defaults, header=True))
    show("two files", Csv([flowers, more], defaults, header=True).skip(2))
    show("some columns", Csv(flowers, [tf.int32, "?"], header=True, select_cols=[2, 3]))
    show("mapped", Csv(more, defaults, header=True).map(lambda size, colour, petals, kind: {"area": size * size, "kind": kind}))
    packed = written("packed", "1;a\n2;NA\n", pack=True)
    show("packed", Csv(packed, [tf.int64, tf.constant(["?"])], compression_type="GZIP", field_delim=";", na_value="NA"))
    wrong = written("wrong", '1,a\nx,b\n2\n3,c,d\n,e\n4,f"g\n5,"h"\n')
    show("wrong records", Csv(wrong, [tf.int32, tf.string]))
    show("without them", Csv(wrong, [tf.int32, tf.string]).apply(tf.data.experimental.ignore_errors()))
    show("ends of lines", Csv(written("ends", "1,a\r\n2,b\r3,"), [tf.int32, ["-"]]))
    show("no quotes", Csv(written("quotes", '1,"a"\n'), [tf.int32, tf.string], use_quote_delim=False))
    show("no header", Csv([written("empty", ""), more], defaults, header=True))
    print(Csv(flowers, defaults, header=True).element_spec)

    in_order = {"batch_size": 2, "num_epochs": 1, "shuffle": False}
    guessed = make_csv(flowers, **in_order)
    print({key: str(spec) for key, spec in sorted(guessed.element_spec.items())})
    show("guessed", guessed)
    show("labels", make_csv([flowers, more], label_name="petals", **in_order))
    show("selected", make_csv(os.path.join(folder, "*e*.csv"), select_columns=["petals", "size"], **in_order))
    show("named", make_csv(wrong, column_names=["n", "text"], column_defaults=[tf.int32, "-"], header=False, ignore_errors=True, **in_order))
    show("by chance", make_csv([flowers, more], 2, shuffle_seed=3, num_epochs=2, select_columns=["petals"]))
    show("without end", make_csv(more, 3, shuffle=False, select_columns=["petals"]), 2)
    dtypes = written("dtypes", "a,b,c,d,e,f\n1,1,1,1,1,\n2,5000000000,1.5,1e300,x,\n")
    print({key: spec.dtype.name for key, spec in sorted(make_csv(dtypes, 1).element_spec.items())})
    for make in (lambda: make_csv(os.path.join(folder, "*.txt"), 2), lambda: make_csv(flowers, 2, label_name="no"),
                 lambda: make_csv(flowers, 2, header=False), lambda: make_csv(flowers, 2, select_columns=["no"]),
                 lambda: make_csv(flowers, 2, select_columns=["size"], column_defaults=[0.5, 0.5]), lambda: Csv(flowers, []),
                 lambda: make_csv(flowers, 2, column_names=["a", "a"]), lambda: make_csv([], 2), lambda: make_csv(flowers, 2, compression_type="LZ")):
        try:
            make()
            print("accepted")
        except (ValueError, TypeError) as error:
            print(type(error).__name__, str(error).splitlines()[0].replace(folder, ""))
