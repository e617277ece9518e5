#!/usr/bin/env python3
"""Checks the encrypted part of a bundle of Mandat: ceremony, ballots, sums, decryptions and figures.

    python3 verify_encrypted.py dossier.tar

It is written from docs/encrypted-vote.md alone, to be read beside it, and is the second verifier besides mandat-verify, which also checks
the signatures of the service, the log, the roll and the statistics. It needs Python 3.9 and libsodium 1.0.18 or later (Debian: libsodium23;
LIBSODIUM names another file). Exit 0: all equal. Exit 1: something differs. Exit 2: the bundle cannot be read.
"""
import base64
import ctypes
import ctypes.util
import hashlib
import json
import math
import os
import re
import sys
import tarfile
import uuid

# --- The group and the hash ------------------------------------------------------------------------------------------

ORDER = 2**252 + 27742317777372353535851937790883648493
IDENTITY = bytes(32)

name = os.environ.get("LIBSODIUM") or ctypes.util.find_library("sodium") or "libsodium.so.23"
try:
    sodium = ctypes.CDLL(name)
except OSError as error:
    print(f"libsodium cannot be loaded ({error}). Install it, or name its file with LIBSODIUM.", file=sys.stderr)
    sys.exit(2)
sodium.sodium_init()


class Wrong(Exception):
    """A check that does not hold."""


def require(holds, what):
    if not holds:
        raise Wrong(what)


def called(function, *parameters):
    result = ctypes.create_string_buffer(32)
    return result.raw if getattr(sodium, function)(result, *parameters) == 0 else None


def point(data, what, proper=False):
    require(len(data) == 32 and sodium.crypto_core_ristretto255_is_valid_point(data) == 1, f"{what}: no canonical point")
    require(not proper or data != IDENTITY, f"{what}: the identity")
    return data


def scalar(data, what):
    value = int.from_bytes(data, "little")
    require(len(data) == 32 and value < ORDER, f"{what}: no scalar below the order")
    return value


def add(one, other):
    return called("crypto_core_ristretto255_add", one, other)


def subtract(one, other):
    return called("crypto_core_ristretto255_sub", one, other)


def times(k, P):
    """kP. The library returns an error where the result is the identity."""
    return called("crypto_scalarmult_ristretto255", (k % ORDER).to_bytes(32, "little"), P) or IDENTITY


def base(k):
    return called("crypto_scalarmult_ristretto255_base", (k % ORDER).to_bytes(32, "little")) or IDENTITY


def total(points):
    result = IDENTITY
    for one in points:
        result = add(result, one)
    return result


def u32(number):
    return number.to_bytes(4, "big")


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def H(label, *parts):
    every = (b"mandat/chiffre/1/" + label.encode(), *parts)
    return hashlib.sha512(b"".join(u32(len(part)) + part for part in every)).digest()


def Hs(label, *parts):
    return int.from_bytes(H(label, *parts), "little") % ORDER


def knows(proof, X, label, *parts):
    """Whether the proof shows knowledge of x with X = xB."""
    e, z = proof
    return e == Hs(label, *parts, subtract(base(z), times(e, X)))


def same_log(proof, X, P, Z, label, *parts):
    """Whether the proof shows that X = xB and Z = xP have the same x."""
    e, z = proof
    return e == Hs(label, *parts, subtract(base(z), times(e, X)) + subtract(times(z, P), times(e, Z)))


# --- JSON and bytes --------------------------------------------------------------------------------------------------


def canonical(value):
    """RFC 8785, for the values of these files: no name of theirs is outside of ASCII, and no number is broken."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def parsed(line):
    value = json.loads(line)
    require(canonical(value) == line, "no canonical JSON")
    return value


def raw(text, what, length=None):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    require(base64.urlsafe_b64encode(data).decode().rstrip("=") == text, f"{what}: no base64url")
    require(length is None or len(data) == length, f"{what}: {len(data)} bytes")
    return data


def proof_of(text):
    data = raw(text, "preuve", 64)
    return scalar(data[:32], "preuve"), scalar(data[32:], "preuve")


def units(text):
    """A decimal in units of 0.0001."""
    require(isinstance(text, str) and re.fullmatch(r"(0|[1-9]\d*)(\.\d{0,3}[1-9])?", text), f"{text}: no decimal")
    whole, _, behind = text.partition(".")
    return int(whole) * 10_000 + int(behind.ljust(4, "0"))


# --- The bundle ------------------------------------------------------------------------------------------------------


class Bundle:
    def __init__(self, path):
        with tarfile.open(path) as archive:
            self.files = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}
        self.vote = json.loads(self.files["scrutin.json"])
        self.encryption = self.vote["chiffrement"]
        self.campaign = uuid.UUID(self.vote["campagneId"]).bytes
        self.wrong = []

    def lines(self, file):
        content = self.files[file]
        require(content == b"" or content.endswith(b"\n"), f"{file}: no newline at its end")
        return content.split(b"\n")[:-1]

    def each(self, file, lines, check):
        """Checks lines one by one. A wrong line does not end the check of the others, but all later checks, which need it."""
        for number, line in enumerate(lines, 1):
            try:
                check(number, line)
            except (Wrong, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
                self.wrong.append(f"{file}:{number}: {error if isinstance(error, Wrong) else repr(error)}")
        if self.wrong:
            raise Wrong

    def sorted(self, file):
        lines = self.lines(file)
        require(all(one < other for one, other in zip(lines, lines[1:])), f"{file}: lines are not sorted")
        return lines


def check_signature(file, key):
    unsigned = {member: value for member, value in file.items() if member != "signature"}
    message = b"mandat/chiffre/1/fichier\0" + canonical(unsigned)
    signature = raw(file["signature"], "signature", 64)
    valid = sodium.crypto_sign_ed25519_verify_detached(signature, message, ctypes.c_ulonglong(len(message)), key)
    require(valid == 0, "signature")


def check_ceremony(bundle):
    """Returns Z, Y, and the public share and key of signature of each guardian."""
    names, t = bundle.encryption["gardiens"], bundle.encryption["seuil"]
    n, file_name = len(names), "chiffrement/ceremonie.ndjson"
    lines = bundle.lines(file_name)
    require(1 <= t <= n <= 9 and len(lines) == 3 * n, f"{file_name}: {len(lines)} lines for {n} guardians and {t}")
    files = [parsed(line) for line in lines]
    R1, R2, Z = (sha256(*map(sha256, lines[r * n : r * n + n])) for r in range(3))
    keys = [raw(file["cleSignature"], "cleSignature", 32) for file in files[:n]]
    transports = [raw(file["cleTransport"], "cleTransport") for file in files[:n]]
    commitments = [[raw(C, "engagements") for C in file["engagements"]] for file in files[n : 2 * n]]
    for C in (one for some in commitments for one in some):
        point(C, "engagements", proper=True)
    Y = total(C[0] for C in commitments)

    def check(number, line):
        file, (r, index) = files[number - 1], divmod(number - 1, n)
        i = index + 1
        expected = {"campagneId": bundle.vote["campagneId"], "gardien": i, "tour": r + 1}
        for member, value in expected.items():
            require(file[member] == value, member)
        if r == 0:
            require([file["nom"], file["nombre"], file["seuil"]] == [names[index], n, t], "nom, nombre or seuil")
            T = point(transports[index], "cleTransport", proper=True)
            require(keys.count(keys[index]) == transports.count(T) == 1, "the keys of another guardian")
            require(knows(proof_of(file["preuve"]), T, "transport", bundle.campaign, u32(i), keys[index], T), "preuve")
        elif r == 1:
            require(raw(file["precedent"], "precedent") == R1, "precedent")
            C = commitments[index]
            require(len(C) == t, "number of engagements")
            require(knows(proof_of(file["preuve"]), C[0], "engagement", R1, u32(i), b"".join(C)), "preuve")
            require([part["gardien"] for part in file["parts"]] == [j for j in range(1, n + 1) if j != i], "parts")
            for part in file["parts"]:
                point(raw(part["ephemere"], "ephemere"), "ephemere")
                scalar(raw(part["valeur"], "valeur"), "valeur")
        else:
            require(raw(file["precedent"], "precedent") == R2, "precedent")
            require(raw(file["cle"], "cle") == Y != IDENTITY, "cle")
        check_signature(file, keys[index])

    bundle.each(file_name, lines, check)
    require(raw(bundle.encryption["ceremonie"], "ceremonie") == Z, "scrutin.json: ceremonie")
    require(raw(bundle.encryption["cle"], "cle") == Y, "scrutin.json: cle")
    shares = [total(times(j**k, P) for C in commitments for k, P in enumerate(C)) for j in range(1, n + 1)]
    return Z, Y, shares, keys


# --- Ballots ---------------------------------------------------------------------------------------------------------


def structure(vote):
    """S, and (m, l, h) of each question."""
    limits = [
        (len(one["Options"]), max(1, one["MinReponses"]), min(len(one["Options"]), one["MaxReponses"]))
        for one in vote["questions"]
    ]
    questions = [
        {
            "Libelles": [option["Libelle"] for option in one["Options"]],
            "MaxReponses": h,
            "MinReponses": l,
            "Options": [option["OptionId"].lower() for option in one["Options"]],
            "QuestionId": one["QuestionId"].lower(),
            "Titre": one["Titre"],
        }
        for one, (_, l, h) in zip(vote["questions"], limits)
    ]
    campaign, threshold = vote["campagneId"].lower(), vote["seuilAnonymat"]
    return sha256(canonical({"campagneId": campaign, "questions": questions, "seuilAnonymat": threshold})), limits


def check_ballot(data, V, Z, Y, S, limits):
    """Returns the ciphertexts (α, β) of each question and slot."""
    length = 1 + sum(64 * (m + 1) + 128 * m + 96 * (h - l + 2) for m, l, h in limits)
    require(len(data) == length and data[0] == 1, f"bulletin: {len(data)} bytes, or another first byte")
    parts = [data[at : at + 32] for at in range(1, length, 32)]
    X = [point(parts.pop(0), "bulletin: X", proper=True) for _ in range(2 * sum(m + 1 for m, _, _ in limits))]
    scalars = [scalar(part, "bulletin: proofs") for part in parts]
    C = H("bulletin", Z, S, V, b"".join(X))
    take = lambda count: [scalars.pop(0) for _ in range(count)]
    slots = [[(X.pop(0), X.pop(0)) for _ in range(m + 1)] for m, _, _ in limits]
    for q, (m, l, h) in enumerate(limits):
        for s in range(1, m + 1):
            alpha, beta = slots[q][s]
            e0, e1, z0, z1 = take(4)
            hashed = b"".join(
                subtract(base(z), times(e, alpha)) + subtract(times(z, Y), times(e, subtract(beta, base(b))))
                for b, e, z in ((0, e0, z0), (1, e1, z1))
            )
            require((e0 + e1) % ORDER == Hs("option", C, u32(q), u32(s), hashed), f"bulletin: question {q}, slot {s}")
        alpha, beta = slots[q][0]
        alphas, betas = (total(column) for column in zip(*slots[q][1:]))
        challenges, hashed = 0, b""
        for a, c in [(1, 0)] + [(0, c) for c in range(l, h + 1)]:
            e, z, z_plus = take(3)
            challenges += e
            hashed += subtract(base(z), times(e, alpha)) + subtract(times(z, Y), times(e, subtract(beta, base(a))))
            hashed += subtract(base(z_plus), times(e, alphas))
            hashed += subtract(times(z_plus, Y), times(e, subtract(betas, base(c))))
        require(challenges % ORDER == Hs("nombre", C, u32(q), hashed), f"bulletin: question {q}, number of options")
    return slots


def check_ballots(bundle, Z, Y):
    """Returns the ballots of each class: weights and ciphertexts."""
    S, limits = structure(bundle.vote)
    file_name, classes, receipts, voters = "chiffrement/bulletins.ndjson", {}, [], set()

    def check(number, line):
        cast = parsed(line)
        require(set(cast) == {"bulletin", "classe", "poids", "votant"}, "members")
        data, V, weight = raw(cast["bulletin"], "bulletin"), raw(cast["votant"], "votant", 32), units(cast["poids"])
        require(not receipts or receipts[-1] < sha256(data), "not in the order of the receipts")
        receipts.append(sha256(data))
        require(V not in voters, "votant: has two ballots")
        voters.add(V)
        require(weight > 0 and 1 <= cast["classe"] <= len(bundle.vote["classes"]), "poids or classe")
        classes.setdefault(cast["classe"], []).append((weight, check_ballot(data, V, Z, Y, S, limits)))

    bundle.each(file_name, bundle.lines(file_name), check)
    log = bundle.files["recus.bin"]
    logged = [log[at : at + 32] for at in range(0, len(log), 32)]
    require(sorted(receipts) == sorted(logged), f"{file_name}: receipts of the ballots are not those of recus.bin")
    return classes


# --- The count -------------------------------------------------------------------------------------------------------


def check_sums(bundle, classes):
    """Returns the ciphertexts that are decrypted: class, question, slot, unit (None for a number), α and β."""
    file_name, announced, ciphertexts = "chiffrement/sommes.ndjson", bundle.vote["classes"], []
    lines = bundle.lines(file_name)
    require(len(lines) == len(announced), f"{file_name}: {len(lines)} lines for {len(announced)} classes")

    def check(number, line):
        found, ballots = parsed(line), classes.get(number, [])
        weights = [weight for weight, _ in ballots]
        g = math.gcd(*weights)
        require(len(ballots) >= bundle.vote["seuilAnonymat"], f"{len(ballots)} ballots are below the threshold")
        for member, value in {"classe": number, "bulletins": len(ballots)}.items():
            require(found[member] == announced[number - 1][member] == value, member)
        require(units(found["total"]) == units(announced[number - 1]["poids"]) == sum(weights), "total")
        require(units(found["unite"]) == g, "unite")
        require((found["poids"] is None) == (len(set(weights)) == 1), "poids is null")
        for member in ("nombres", "poids") if found["poids"] else ("nombres",):
            published = [[[raw(P, member) for P in pair] for pair in slots] for slots in found[member]]
            factor = (lambda weight: weight // g) if member == "poids" else (lambda weight: 1)
            for q, one in enumerate(bundle.vote["questions"]):
                for s in range(len(one["Options"]) + 1):
                    for letter in (0, 1):
                        expected = total(times(factor(p), slots[q][s][letter]) for p, slots in ballots)
                        require(published[q][s][letter] == expected, f"{member}[{q}][{s}][{letter}]")
                    ciphertexts.append((number, q, s, g if member == "poids" else None, *published[q][s]))
                require(len(published[q]) == len(one["Options"]) + 1, f"{member}[{q}]: number of slots")
            require(len(published) == len(bundle.vote["questions"]), f"{member}: number of questions")

    bundle.each(file_name, lines, check)
    return ciphertexts


def check_decryptions(bundle, Z, shares, keys, ciphertexts):
    """Returns vB of each ciphertext."""
    file_name, t = "chiffrement/dechiffrements.ndjson", bundle.encryption["seuil"]
    D = sha256(*(sha256(bundle.files[f"chiffrement/{name}.ndjson"]) for name in ("bulletins", "sommes")))
    parts = {}

    def check(number, line):
        file = parsed(line)
        j = file["gardien"]
        require(1 <= j <= len(keys) and j > max(parts, default=0), "gardien")
        check_signature(file, keys[j - 1])
        require([file["campagneId"], file["tour"]] == [bundle.vote["campagneId"], 4], "campagneId or tour")
        require(raw(file["precedent"], "precedent") == Z, "precedent")
        require(raw(file["depouillement"], "depouillement") == D, "depouillement")
        require(len(file["parts"]) == len(ciphertexts), "number of parts")
        mine = [point(raw(part["part"], "part"), "part") for part in file["parts"]]
        for index, ((*_, alpha, _), part, Dj) in enumerate(zip(ciphertexts, file["parts"], mine)):
            named = (Z, D, u32(j), u32(index), alpha, Dj)
            valid = same_log(proof_of(part["preuve"]), shares[j - 1], alpha, Dj, "dechiffrement", *named)
            require(valid, f"parts[{index}]: preuve")
        parts[j] = mine

    bundle.each(file_name, bundle.lines(file_name), check)
    require(len(parts) == t or not ciphertexts, f"{file_name}: {len(parts)} decryptions hold, not {t}")
    factors = {j: math.prod(k * pow(k - j, -1, ORDER) for k in parts if k != j) % ORDER for j in parts}
    return [
        subtract(beta, total(times(factors[j], parts[j][index]) for j in parts))
        for index, (*_, beta) in enumerate(ciphertexts)
    ]


def check_figures(bundle, ciphertexts, decrypted):
    sums = {(c, q, s, g is not None): (v, g) for (c, q, s, g, _, _), v in zip(ciphertexts, decrypted)}
    for q, question in enumerate(bundle.vote["questions"]):
        file_name, seen = f"questions/{q:02}.ndjson", []

        def check(number, line):
            found = parsed(line)
            c, ballots = found["classe"], found["bulletins"]
            one = bundle.vote["classes"][c - 1]
            require(c not in seen, "classe")
            seen.append(c)
            require([ballots, found["total"]] == [one["bulletins"], one["poids"]], "bulletins or total")
            figures = [found["abstentions"], *found["options"]]
            weights = [units(weight) for weight in [found["poidsAbstentions"], *found["poids"]]]
            require(len(figures) == len(weights) == len(question["Options"]) + 1, "number of options")
            require(0 <= figures[0] <= ballots, "abstentions")
            require(all(0 <= figure <= ballots - figures[0] for figure in figures[1:]), "options")
            for s, (figure, weight) in enumerate(zip(figures, weights)):
                require(base(figure) == sums[c, q, s, False][0], f"slot {s}: {figure} was not decrypted")
                v, g = sums.get((c, q, s, True), (None, None))
                if g is None:
                    require(weight * ballots == figure * units(one["poids"]), f"slot {s}: weight {weight}")
                else:
                    require(weight % g == 0 and base(weight // g) == v, f"slot {s}: weight {weight} was not decrypted")

        bundle.each(file_name, bundle.sorted(file_name), check)
        require(len(seen) == len(bundle.vote["classes"]), f"{file_name}: number of classes")


def main(path):
    try:
        bundle = Bundle(path)
    except (OSError, KeyError, ValueError, tarfile.TarError) as error:
        print(f"{path} is no bundle of an encrypted vote: {error!r}", file=sys.stderr)
        return 2
    try:
        Z, Y, shares, keys = check_ceremony(bundle)
        classes = check_ballots(bundle, Z, Y)
        ciphertexts = check_sums(bundle, classes)
        decrypted = check_decryptions(bundle, Z, shares, keys, ciphertexts)
        check_figures(bundle, ciphertexts, decrypted)
    except (Wrong, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if not isinstance(error, Wrong) or error.args:
            bundle.wrong.append(str(error) if isinstance(error, Wrong) else repr(error))
    for line in bundle.wrong:
        print(line)
    print("DIFFERS" if bundle.wrong else "ALL EQUAL")
    return 1 if bundle.wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1]))
