# SPDX-License-Identifier: Apache-2.0
# least_squares.py DATA FOLDER: how far x of illc1033 and well1033 is from the least-squares solution, of the host
# (FOLDER/NAME-host.npy) and of a device (NAME-auto.npy). The reference solves the normal equations by Cholesky factors
# with 60 digits, of which their condition takes some 16. The device may be ten times as far off as the host.
import decimal, gzip, os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import arrays

decimal.getcontext().prec = 60


def lines(path):
    with gzip.open(path, "rt") as file:
        return [line for line in file.read().split("\n") if line and not line.startswith("%")]


def system(data, name):
    head, *entries = lines(os.path.join(data, name + ".mtx.gz"))
    rows, columns = map(int, head.split()[:2])
    matrix = [(int(i) - 1, int(j) - 1, decimal.Decimal(float(v))) for i, j, v in map(str.split, entries)]
    right = [decimal.Decimal(float(v.split()[0])) for v in lines(os.path.join(data, name + "_rhs1.mtx.gz"))[1:]]
    return rows, columns, matrix, right


def solve(rows, columns, matrix, right):
    """Cholesky factors of A^T A."""
    zero = decimal.Decimal(0)
    by_row = [[] for _ in range(rows)]
    for i, j, v in matrix:
        by_row[i].append((j, v))
    normal = [{} for _ in range(columns)]
    x = [zero] * columns
    for i, row in enumerate(by_row):
        for j, v in row:
            x[j] += v * right[i]
            for k, w in row:
                if k <= j:
                    normal[j][k] = normal[j].get(k, zero) + v * w
    factor = []
    for j in range(columns):
        own = {}
        for k in range(j + 1):
            sum_ = normal[j].get(k, zero)
            other = own if k == j else factor[k]
            small, large = (own, other) if len(own) < len(other) else (other, own)
            for m, v in small.items():
                if m < k and m in large:
                    sum_ -= v * large[m]
            if k == j:
                own[j] = sum_.sqrt()
            elif sum_:
                own[k] = sum_ / factor[k][k]
        factor.append(own)
    for j in range(columns):
        x[j] = (x[j] - sum(v * x[k] for k, v in factor[j].items() if k < j)) / factor[j][j]
    for j in reversed(range(columns)):
        x[j] /= factor[j][j]
        for k, v in factor[j].items():
            if k < j:
                x[k] -= v * x[j]
    return x


def distance(x, wanted):
    length = sum(v * v for v in wanted).sqrt()
    return float(sum((decimal.Decimal(a) - b) ** 2 for a, b in zip(x, wanted)).sqrt() / length)


data, folder = sys.argv[1:]
for name in ("illc1033", "well1033"):
    wanted = solve(*system(data, name))
    off = {place: distance(arrays.load(os.path.join(folder, "%s-%s.npy" % (name, place)))[2], wanted)
           for place in ("host", "auto")}
    print(name, off)
    assert off["auto"] <= 10 * off["host"], name
