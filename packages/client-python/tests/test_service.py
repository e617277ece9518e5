"""The client on a running service, of which `MANDAT_TEST` has the addresses and keys as JSON."""

import base64
import contextlib
import hashlib
import hmac
import io
import json
import os
import re
import unittest
from pathlib import Path
from unittest import mock

from mandat import (
    Administration,
    Partenaire,
    Plateforme,
    ProblemError,
    TaskError,
    TransportError,
    WebhookError,
    each_item,
    each_page,
    effects_of,
    task_result,
    verify_webhook,
)

SERVICE = json.loads(os.environ["MANDAT_TEST"]) if "MANDAT_TEST" in os.environ else None
README = Path(__file__).resolve().parents[1] / "README.md"
UNKNOWN = "0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21"
IDS = [f"E-{number:04}" for number in range(357)]
DRAFT = {
    "titre": "Entente",
    "ouvertureDuVoteUtc": "2030-03-01T13:00:00Z",
    "fermetureDuVoteUtc": "2030-03-08T22:00:00Z",
}


@unittest.skipUnless(SERVICE, "MANDAT_TEST is not set")
class Service(unittest.TestCase):
    def connect(self, address=None, key=None, **options):
        mandat = Partenaire(address or SERVICE["address"], key or SERVICE["key"], **options)
        self.addCleanup(mandat.close)
        return mandat

    def refusal(self, call, *arguments, **named):
        with self.assertRaises(ProblemError) as caught:
            call(*arguments, **named)
        return caught.exception


class Operations(Service):
    def test_a_list_is_read_page_by_page_with_nothing_lost_or_doubled(self):
        mandat = self.connect(key=SERVICE["emptyKey"])
        employes = [{"idExterne": one, "prenom": "Zoé", "nom": "Roy"} for one in IDS]
        bad = {"idExterne": "BAD", "prenom": "Zoé", "nom": "Roy", "courriel": "no"}
        result = mandat.sync_v1.sync({"employes": [*employes, bad]}, idempotency_key="sync").data
        self.assertEqual(
            result,
            {"created": len(IDS), "updated": 0, "errors": [{"idExterne": "BAD", "message": "invalid e-mail"}]},
        )
        self.assertEqual([one["idExterne"] for one in each_item(mandat.employes.list, limite=50)], IDS)
        self.assertEqual([len(page.items) for page in each_page(mandat.employes_v2.list)], [100, 100, 100, 57])
        # A list without pages arrives compressed.
        whole = mandat.employes.list()
        self.assertEqual((len(whole.data), whole.headers["content-encoding"]), (len(IDS), "gzip"))
        # Filters stay from page to page.
        for one in ("E-0003", "E-0001"):
            mandat.employes.replace({"idExterne": one, "prenom": "Léo", "nom": "Roy"})
        since = mandat.employes.get("E-0003").data["derniereMAJ"]
        changed = {one["idExterne"] for one in each_item(mandat.employes.list, limite=1, modifieDepuis=since)}
        self.assertEqual(changed, {"E-0001", "E-0003"})
        self.assertEqual(list(each_page(mandat.syndicats.list)), [])

    def test_a_feed_continues_from_the_last_cursor(self):
        mandat = self.connect()
        pages = list(each_page(mandat.evenements.list, limite=1))
        self.assertGreaterEqual(len(pages), 2)
        kept = pages[-1].curseur
        self.assertIsNotNone(kept)
        self.assertEqual(list(each_page(mandat.evenements.list, curseur=kept)), [])
        mandat.sync_v2.sync({"Employes": [{"IdExterne": "E-9", "Prenom": "Zoé", "Nom": "Roy"}]})
        added = [one["type"] for one in each_item(mandat.evenements.list, curseur=kept)]
        self.assertEqual(added, ["sync.terminee"])

    def test_a_refusal_has_its_code_on_every_surface(self):
        error = self.refusal(self.connect().employes.get, "INCONNU")
        self.assertEqual((error.status, error.code, error.errors), (404, "Employe.NotFound", []))
        self.assertRegex(error.type, r"/docs/erreurs#Employe\.NotFound$")
        self.assertRegex(error.request_id, r"^\S{8,}$")
        self.assertRegex(error.trace_id, r"^[0-9a-f]{32}$")
        with Plateforme(SERVICE["address"], SERVICE["platformKey"]) as platform:
            self.assertEqual(self.refusal(platform.signing.get, UNKNOWN).code, "Adhesion.NotFound")
        with Administration(SERVICE["address"], SERVICE["adminKey"]) as admin:
            self.assertEqual(self.refusal(admin.clients.get, UNKNOWN).code, "Client.NotFound")
            self.assertEqual(admin.clients.get(SERVICE["clientId"]).data["id"], SERVICE["clientId"])
        self.assertEqual(self.refusal(self.connect(key="mdt_stg_no").moi.get).code, "Cle.Invalide")

    def test_a_refusal_names_every_fault_of_the_request(self):
        body = {"idExterne": "", "prenom": "Zoé", "nom": "Roy", "courriel": "no"}
        error = self.refusal(self.connect().employes.create, body)
        self.assertEqual(error.code, "Requete.Invalide")
        self.assertEqual({fault["pointer"] for fault in error.errors}, {"/courriel", "/idExterne"})

    def test_304_and_412_are_errors_too(self):
        mandat = self.connect()
        etag = mandat.employes.create({"idExterne": "E-304", "prenom": "Zoé", "nom": "Roy"}).headers["etag"]
        unchanged = self.refusal(mandat.employes.get, "E-304", if_none_match=etag)
        self.assertEqual((unchanged.status, unchanged.code), (304, None))
        stale = self.refusal(mandat.employes.delete, "E-304", if_match='"stale"')
        self.assertEqual(stale.code, "Precondition.Echouee")
        self.assertEqual(mandat.employes.delete("E-304", if_match=etag).status, 204)

    def test_a_post_under_a_key_is_repeated_after_a_broken_connection_and_has_one_effect(self):
        waits = []
        # The first answer of each relay breaks.
        under_key = self.connect(SERVICE["relays"][0], on_wait=waits.append)
        made = under_key.campagnes.create(DRAFT, idempotency_key="campagne")
        self.assertEqual(made.headers["idempotent-replayed"], "true")
        self.assertEqual([wait.status for wait in waits], [None])
        # The control: without a key the call fails, although the work was done.
        without = self.connect(SERVICE["relays"][1])
        with self.assertRaises(TransportError) as caught:
            without.campagnes.create({**DRAFT, "titre": "Grève"})
        self.assertFalse(caught.exception.repeatable)
        titles = [one["titre"] for one in without.campagnes.list().data]
        self.assertEqual([titles.count(one) for one in ("Entente", "Grève")], [1, 1])

    def test_the_limit_of_a_key_makes_the_client_wait(self):
        class Asked(Exception):
            pass

        def sleep(seconds):
            self.assertTrue(1 <= seconds <= 60, seconds)
            raise Asked

        with self.assertRaises(Asked):
            for _ in range(10):
                self.connect(key=SERVICE["limitedKey"], sleep=sleep).moi.get()
        at_once = self.connect(key=SERVICE["limitedKey"], max_wait_seconds=0)
        self.assertEqual(self.refusal(at_once.moi.get).code, "Debit.Depasse")

    def test_effects_of_a_sync(self):
        mandat = self.connect()
        one = {"IdExterne": "E-77", "Prenom": "Zoé", "Nom": "Roy"}
        effects = effects_of(mandat.sync_v2.sync({"Employes": [one]}, simulation=True))
        expected = {"crees": 1, "modifies": 0, "inchanges": 0, "termines": 0, "champsVides": 0, "refuses": 0}
        self.assertEqual(effects, expected)
        self.assertIsNone(effects_of(mandat.moi.get()))


class Tasks(Service):
    body = {"Employes": [{"IdExterne": f"T-{number}", "Prenom": "Zoé", "Nom": "Roy"} for number in range(50)]}

    def test_returns_the_result_after_the_worker_has_run_it(self):
        mandat = self.connect()
        started = mandat.sync_v2.sync(self.body, prefer="respond-async", idempotency_key="task")
        self.assertEqual(started.status, 202)
        states = []
        result = task_result(
            mandat, started, interval_seconds=0.05, on_progress=lambda task: states.append(task["etat"])
        )
        self.assertEqual((result["Employes"]["AddCount"], states[-1]), (50, "Reussie"))
        # A sync that ran at once needs no wait.
        at_once = task_result(mandat, mandat.sync_v2.sync(self.body))
        self.assertEqual((at_once["Employes"]["AddCount"], at_once["Employes"]["UpdateCount"]), (0, 50))

    def test_a_task_that_has_failed_or_not_ended_in_time_is_an_error(self):
        mandat = self.connect()
        started = mandat.sync_v2.sync({"Employes": []}, prefer="respond-async")
        task = mandat.taches.get(started.headers["location"].split("/")[-1]).data
        fault = {"code": "Requete.Invalide", "detail": "the body must be valid JSON"}
        for change, code, message in [
            ({"etat": "Echouee", "erreur": fault}, fault["code"], f"The task failed: {fault['code']}: {fault['detail']}"),
            ({"etat": "EnCours"}, None, "The task has not ended after 0.01 s: it is EnCours"),
        ]:
            reader = mock.Mock()
            reader.taches.get.return_value.data = {**task, **change}
            with self.assertRaises(TaskError) as caught:
                task_result(reader, started, interval_seconds=0.02, timeout_seconds=0.01)
            self.assertEqual((caught.exception.code, str(caught.exception)), (code, message))


class Webhooks(Service):
    def setUp(self):
        given = SERVICE["delivery"] if SERVICE else {}
        self.headers, self.body, self.secret = given["headers"], given["body"], given["secret"]

    def refuse(self, headers=None, body=None, secrets=None):
        with self.assertRaises(WebhookError):
            verify_webhook({**self.headers, **(headers or {})}, body or self.body, secrets or self.secret)

    def test_a_delivery_is_an_event(self):
        delivery = verify_webhook(self.headers, self.body, self.secret)
        self.assertEqual(delivery.id, self.headers["webhook-id"])
        self.assertEqual(delivery.event["type"], "adhesion.signee")
        self.assertEqual(delivery.event["data"]["employeIdExterne"], "E-1")
        titled = {name.title(): value for name, value in self.headers.items()}
        other = "whsec_" + base64.b64encode(b"x" * 32).decode()
        self.assertEqual(verify_webhook(titled, self.body.encode(), [other, self.secret]), delivery)

    def test_signatures_of_other_versions_are_ignored(self):
        good = self.headers["webhook-signature"]
        signatures = f"v1a,{'A' * 86}== {good} v2,x"
        verify_webhook({**self.headers, "webhook-signature": signatures}, self.body, self.secret)
        self.refuse({"webhook-signature": good.replace("v1,", "v1a,")})

    def test_any_change_is_refused(self):
        later = str(int(self.headers["webhook-timestamp"]) + 1)
        signature = self.headers["webhook-signature"]
        for headers in (
            {"webhook-id": "other"},
            {"webhook-id": ""},
            {"webhook-timestamp": later},
            {"webhook-timestamp": "9" * 5000},
            {"webhook-timestamp": "1e9"},
            {"webhook-signature": ""},
            {"webhook-signature": "v1,é"},
            {"webhook-signature": signature[:-1]},
        ):
            self.refuse(headers)
        self.refuse(body=self.body + " ")
        self.refuse(secrets=["whsec_" + base64.b64encode(b"x" * 32).decode()])
        for secrets in ([], "whsec_…", [self.secret[:-1] + "!"]):
            with self.assertRaises(ValueError):
                verify_webhook(self.headers, self.body, secrets)

    def test_an_old_delivery_is_refused(self):
        sent = int(self.headers["webhook-timestamp"])
        for seconds in (-310, 310):
            with mock.patch("time.time", return_value=sent + seconds):
                self.refuse()

    def test_an_empty_secret_is_refused_because_everybody_could_sign_with_it(self):
        signed = ".".join([self.headers["webhook-id"], self.headers["webhook-timestamp"], self.body]).encode()
        forged = "v1," + base64.b64encode(hmac.new(b"", signed, hashlib.sha256).digest()).decode()
        for secrets in ("", "whsec_", [self.secret, ""], [self.secret, "whsec_"]):
            with self.assertRaises(ValueError):
                verify_webhook({**self.headers, "webhook-signature": forged}, self.body, secrets)

    def test_agrees_with_another_implementation_of_the_standard(self):
        # The example of Standard Webhooks.
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        body = '{"test": 2432232314}'
        headers = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        with mock.patch("time.time", return_value=1614265330):
            self.assertEqual(verify_webhook(headers, body, secret).event, json.loads(body))


class Readme(Service):
    def test_its_examples_run(self):
        text = README.read_text(encoding="utf-8")
        examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        self.assertGreater(len(examples), 8)
        script = "\n".join(examples)
        for placeholder, value in [("https://api.example.org", SERVICE["address"]), ("mdt_stg_…", SERVICE["key"])]:
            self.assertIn(placeholder, script)
            script = script.replace(placeholder, value)
        names = {}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.addCleanup(lambda: names["mandat"].close())
            exec(compile(script, str(README), "exec"), names)
            delivery = SERVICE["delivery"]
            names["secrets"][:] = ["whsec_" + base64.b64encode(b"x" * 32).decode()] * 2
            self.assertEqual(names["receive"](delivery["headers"], delivery["body"].encode()), 401)
            names["secrets"][0] = delivery["secret"]
            self.assertEqual(names["receive"](delivery["headers"], delivery["body"].encode()), 204)
        lines = printed.getvalue().splitlines()
        for pattern in ("404 .", "E-1001", "Zoé 0 ", r"\S+ sync\.terminee", r"1 \[\]", r"\S+ Tremblay"):
            self.assertTrue([line for line in lines if re.match(pattern, line)], (pattern, lines))


if __name__ == "__main__":
    unittest.main()
