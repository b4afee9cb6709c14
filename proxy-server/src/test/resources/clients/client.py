# SPDX-License-Identifier: Apache-2.0
"""The programme that every client library runs, for python-ldap.

usage: client.py plain|starttls|ldaps PORT CA-FILE SCHEMA-DN

Prints what the library makes of each answer.
"""
import binascii
import sys

import ldap
from ldap.controls import SimplePagedResultsControl
from ldap.controls.simple import ManageDSAITControl
from ldap.controls.sss import SSSRequestControl

SUFFIX = "dc=example,dc=com"
PEOPLE = "ou=people," + SUFFIX
CROWD = "ou=crowd," + SUFFIX
REFERRAL = "cn=elsewhere,ou=odd," + SUFFIX
ADA = "uid=ada," + PEOPLE
BEN = "uid=ben," + PEOPLE
MANAGER = "uid=manager," + PEOPLE
NEW = "uid=new," + PEOPLE
RENAMED = "uid=renamed," + PEOPLE
PAGED = SimplePagedResultsControl.controlType


def connect(kind, port, ca_file):
    ldap.set_option(ldap.OPT_X_TLS_CACERTFILE, ca_file)
    scheme = "ldaps" if kind == "ldaps" else "ldap"
    connection = ldap.initialize("%s://127.0.0.1:%s" % (scheme, port))
    connection.set_option(ldap.OPT_REFERRALS, 0)
    connection.set_option(ldap.OPT_NETWORK_TIMEOUT, 30)
    connection.set_option(ldap.OPT_TIMEOUT, 30)
    if kind == "starttls":
        connection.start_tls_s()
    return connection


def step(name):
    print("== " + name)


def text(value):
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return "0x" + binascii.hexlify(value).decode("ascii")


def show(entries):
    for dn, attributes in entries:
        if dn is None:
            for url in attributes:
                print("reference: " + url)
            continue
        print("dn: " + dn)
        for name, values in attributes.items():
            for value in values:
                print("  %s: %s" % (name, text(value)))


def show_controls(controls):
    for control in controls:
        print("control: " + control.controlType)
        if control.controlType == PAGED:
            print("size: %d" % control.size)
            print("cookie: " + binascii.hexlify(control.cookie).decode("ascii"))
        elif hasattr(control, "sortResult"):
            print("sortResult: %d" % control.sortResult)


def attempt(name, call):
    step(name)
    try:
        code = call()
        print("result: %d" % (code if isinstance(code, int) else 0))
    except ldap.LDAPError as error:
        what = error.args[0]
        print("result: %s" % what.get("result"))
        for key in ("desc", "matched", "info"):
            if what.get(key):
                print("%s: %s" % (key, what[key]))


def search(connection, base, scope, query="(objectClass=*)", attributes=None, controls=None):
    message = connection.search_ext(base, scope, query, attributes, serverctrls=controls)
    _, entries, _, answered = connection.result3(message)
    show(entries)
    show_controls(answered)
    return answered


def compare(connection, dn, attribute, value):
    return 6 if connection.compare_s(dn, attribute, value) else 5


def reads(connection, prefix):
    def read(name, *arguments):
        attempt(prefix + name, lambda: search(connection, *arguments))

    read("search-base", ADA, ldap.SCOPE_BASE)
    read("search-one", SUFFIX, ldap.SCOPE_ONELEVEL, "(ou=*)", ["ou", "objectClass"])
    read("search-subtree", PEOPLE, ldap.SCOPE_SUBTREE, "(sn=*)", ["cn", "sn", "entryUUID"])
    read("search-missing", "uid=nobody," + PEOPLE, ldap.SCOPE_BASE)
    attempt(prefix + "compare-true", lambda: compare(connection, ADA, "sn", b"Lovelace"))
    attempt(prefix + "compare-false", lambda: compare(connection, ADA, "sn", b"Byron"))


def pages(connection):
    control = SimplePagedResultsControl(True, size=3, cookie=b"")
    while True:
        answered = search(
            connection, PEOPLE, ldap.SCOPE_ONELEVEL, "(sn=*)", ["sn"], [control])
        cookies = [c.cookie for c in answered if c.controlType == PAGED]
        if not cookies or not cookies[0]:
            return
        control = SimplePagedResultsControl(True, size=3, cookie=cookies[0])


def abandon(connection):
    connection.abandon_ext(connection.search_ext(CROWD, ldap.SCOPE_SUBTREE))
    print(connection.whoami_s())


def main(kind, port, ca_file, schema):
    connection = connect(kind, port, ca_file)
    attempt("root-dse", lambda: search(
        connection, "", ldap.SCOPE_BASE, "(objectClass=*)",
        ["namingContexts", "subschemaSubentry", "supportedControl", "supportedExtension",
         "supportedFeatures", "supportedLDAPVersion", "supportedSASLMechanisms"]))
    attempt("schema", lambda: search(
        connection, schema, ldap.SCOPE_BASE, "(objectClass=subschema)",
        ["attributeTypes", "objectClasses", "matchingRules", "ldapSyntaxes"]))
    attempt("bind-right", lambda: connection.simple_bind_s(ADA, "pw-ada"))
    attempt("who-am-i", lambda: print(connection.whoami_s()))
    reads(connection, "")
    attempt("pages", lambda: pages(connection))
    attempt("sort", lambda: search(
        connection, PEOPLE, ldap.SCOPE_ONELEVEL, "(sn=*)", ["sn"],
        [SSSRequestControl(criticality=True, ordering_rules=["-sn:caseIgnoreOrderingMatch"])]))
    attempt("referral-base", lambda: search(connection, REFERRAL, ldap.SCOPE_BASE))
    attempt("referral-subtree", lambda: search(
        connection, SUFFIX, ldap.SCOPE_SUBTREE, "(uid=ada)", ["uid"]))
    attempt("referral-managed", lambda: search(
        connection, REFERRAL, ldap.SCOPE_BASE, "(objectClass=*)", ["cn", "ref"],
        [ManageDSAITControl()]))
    attempt("bind-wrong", lambda: connection.simple_bind_s(ADA, "wrong"))
    attempt("anonymous-after-it", lambda: search(connection, ADA, ldap.SCOPE_BASE))
    writes(connection)
    passwords(connection)
    attempt("bind-again", lambda: connection.simple_bind_s(ADA, "pw-ada"))
    attempt("abandon", lambda: abandon(connection))
    reads(connection, "again-")
    attempt("unbind", connection.unbind_s)


def writes(connection):
    attempt("bind-manager", lambda: connection.simple_bind_s(MANAGER, "pw-manager"))
    entry = [("objectClass", [b"inetOrgPerson"]), ("uid", [b"new"]), ("cn", [b"New One"]),
             ("sn", [b"One"])]
    attempt("add", lambda: connection.add_s(NEW, entry))
    attempt("add-present", lambda: connection.add_s(NEW, entry))
    attempt("read-added", lambda: search(connection, NEW, ldap.SCOPE_BASE))
    attempt("modify", lambda: connection.modify_s(
        NEW, [(ldap.MOD_REPLACE, "mail", [b"new@example.com"]),
              (ldap.MOD_ADD, "title", [b"First", b"Second"])]))
    attempt("read-modified", lambda: search(
        connection, NEW, ldap.SCOPE_BASE, "(objectClass=*)", ["*", "entryCSN", "modifyTimestamp"]))
    attempt("rename", lambda: connection.rename_s(NEW, "uid=renamed", delold=1))
    attempt("read-old-name", lambda: search(connection, NEW, ldap.SCOPE_BASE))
    attempt("read-renamed", lambda: search(connection, RENAMED, ldap.SCOPE_BASE))
    attempt("delete", lambda: connection.delete_s(RENAMED))
    attempt("delete-missing", lambda: connection.delete_s(RENAMED))
    attempt("read-deleted", lambda: search(connection, RENAMED, ldap.SCOPE_BASE))


def passwords(connection):
    attempt("bind-ben", lambda: connection.simple_bind_s(BEN, "pw-ben"))
    attempt("password-modify", lambda: connection.passwd_s(BEN, "pw-ben", "other"))
    attempt("bind-old-password", lambda: connection.simple_bind_s(BEN, "pw-ben"))
    attempt("bind-new-password", lambda: connection.simple_bind_s(BEN, "other"))
    attempt("password-back", lambda: connection.passwd_s(BEN, "other", "pw-ben"))


if __name__ == "__main__":
    main(*sys.argv[1:])
