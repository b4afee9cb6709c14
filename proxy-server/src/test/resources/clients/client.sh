#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The programme that every client library runs, for OpenLDAP's command line: libldap.
#
# usage: client.sh plain|starttls|ldaps PORT CA-FILE SCHEMA-DN
#
# Prints what the tools make of each answer. Each of them connects, binds, asks and unbinds.
set -u

kind=$1
port=$2
schema=$4
# Settings of this machine do not count.
export LDAPCONF=/dev/null LDAPTLS_CACERT=$3 LDAPTLS_REQCERT=demand

suffix=dc=example,dc=com
people=ou=people,$suffix
crowd=ou=crowd,$suffix
referral=cn=elsewhere,ou=odd,$suffix
ada=uid=ada,$people
ben=uid=ben,$people
manager=uid=manager,$people
new=uid=new,$people
renamed=uid=renamed,$people

case $kind in
  plain) server=(-H "ldap://127.0.0.1:$port") ;;
  starttls) server=(-H "ldap://127.0.0.1:$port" -ZZ) ;;
  ldaps) server=(-H "ldaps://127.0.0.1:$port") ;;
esac

# step NAME COMMAND ARGUMENTS: what it prints, errors among it, and how it ends.
step() {
  local name=$1 tool=$2
  shift 2
  echo "== $name"
  "$tool" "${server[@]}" -x -o nettimeout=30 -o ldif-wrap=no "$@" 2>&1
  echo "result: $?"
}

as_ada=(-D "$ada" -w pw-ada)
as_manager=(-D "$manager" -w pw-manager)

reads() {
  step "$1search-base" ldapsearch "${as_ada[@]}" -b "$ada" -s base
  step "$1search-one" ldapsearch "${as_ada[@]}" -b "$suffix" -s one '(ou=*)' ou objectClass
  step "$1search-subtree" ldapsearch "${as_ada[@]}" -b "$people" '(sn=*)' cn sn entryUUID
  step "$1search-missing" ldapsearch "${as_ada[@]}" -b "uid=nobody,$people" -s base
  step "$1compare-true" ldapcompare "${as_ada[@]}" "$ada" sn:Lovelace
  step "$1compare-false" ldapcompare "${as_ada[@]}" "$ada" sn:Byron
}

writes() {
  step bind-manager ldapwhoami "${as_manager[@]}"
  local entry="dn: $new
objectClass: inetOrgPerson
uid: new
cn: New One
sn: One"
  step add ldapadd "${as_manager[@]}" <<<"$entry"
  step add-present ldapadd "${as_manager[@]}" <<<"$entry"
  step read-added ldapsearch "${as_manager[@]}" -b "$new" -s base
  step modify ldapmodify "${as_manager[@]}" <<<"dn: $new
changetype: modify
replace: mail
mail: new@example.com
-
add: title
title: First
title: Second"
  step read-modified ldapsearch "${as_manager[@]}" -b "$new" -s base '(objectClass=*)' '*' entryCSN modifyTimestamp
  step rename ldapmodrdn "${as_manager[@]}" -r "$new" uid=renamed
  step read-old-name ldapsearch "${as_manager[@]}" -b "$new" -s base
  step read-renamed ldapsearch "${as_manager[@]}" -b "$renamed" -s base
  step delete ldapdelete "${as_manager[@]}" "$renamed"
  step delete-missing ldapdelete "${as_manager[@]}" "$renamed"
  step read-deleted ldapsearch "${as_manager[@]}" -b "$renamed" -s base
}

passwords() {
  step bind-ben ldapwhoami -D "$ben" -w pw-ben
  step password-modify ldappasswd -D "$ben" -w pw-ben -a pw-ben -s other
  step bind-old-password ldapwhoami -D "$ben" -w pw-ben
  step bind-new-password ldapwhoami -D "$ben" -w other
  step password-back ldappasswd -D "$ben" -w other -a other -s pw-ben
}

step root-dse ldapsearch -b '' -s base '(objectClass=*)' namingContexts subschemaSubentry \
  supportedControl supportedExtension supportedFeatures supportedLDAPVersion supportedSASLMechanisms
step schema ldapsearch -b "$schema" -s base '(objectClass=subschema)' attributeTypes \
  objectClasses matchingRules ldapSyntaxes
step bind-right ldapwhoami "${as_ada[@]}"
step who-am-i ldapwhoami "${as_ada[@]}"
reads ''
step pages ldapsearch "${as_ada[@]}" -E '!pr=3/noprompt' -b "$people" -s one '(sn=*)' sn
step sort ldapsearch "${as_ada[@]}" -E '!sss=-sn:caseIgnoreOrderingMatch' -b "$people" -s one '(sn=*)' sn
step referral-base ldapsearch "${as_ada[@]}" -b "$referral" -s base
step referral-subtree ldapsearch "${as_ada[@]}" -b "$suffix" '(uid=ada)' uid
step referral-managed ldapsearch "${as_ada[@]}" -MM -b "$referral" -s base '(objectClass=*)' cn ref
step bind-wrong ldapwhoami -D "$ada" -w wrong
step anonymous-after-it ldapsearch -b "$ada" -s base
writes
passwords
step bind-again ldapwhoami "${as_ada[@]}"
# Sends the abandon right after the search; the tool then ends with -1.
step abandon ldapsearch "${as_ada[@]}" -e '!abandon' -b "$crowd" | sed 's/^result: 255$/result: 0/'
reads again-
echo '== unbind'
echo 'result: 0'
