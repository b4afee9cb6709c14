// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.VALUES;
import static io.stoa.testing.Requests.search;

import java.util.Locale;

/** Filters by every family of matching rules (RFC 4517, RFC 4518), and logic on top of them. */
public final class MatchingSteps {
  private static final String[] TEXT = {
    "(title=Professor of Many Spaces)",
    "(title=professor OF MANY spaces)",
    "(title=Professor  of   Many Spaces)",
    "(title= Professor of Many Spaces )",
    "(title=Professor\\09of Many Spaces)",
    "(title=Professor of Many)",
    "(title=)",
    "(title=Professor*)",
    "(title=PROF*)",
    "(title=*Spaces)",
    "(title=*of*)",
    "(title=* of *)",
    "(title=prof*of*spaces)",
    "(title=prof*many*of*)",
    "(title=*o*o*o*)",
    "(title=*)",
    "(title>=Q)",
    "(title<=Q)",
    "(title>=professor of many spaces)",
    "(title~=Profesor)",
    "(title:=professor of many spaces)",
    "(title:caseIgnoreMatch:=PROFESSOR OF MANY SPACES)",
    "(title:2.5.13.2:=PROFESSOR OF MANY SPACES)",
    "(title:caseExactMatch:=PROFESSOR OF MANY SPACES)",
    "(title:caseExactMatch:=Professor of Many Spaces)",
    "(title:2.5.13.5:=Professor of Many Spaces)",
    "(title:caseIgnoreOrderingMatch:=Q)",
    "(title:caseExactOrderingMatch:=q)",
    "(title:caseIgnoreSubstringsMatch:=Prof)",
    "(title:noSuchMatch:=Professor)",
    "(title:1.2.3.4:=Professor)",
    "(givenName=Seán)",
    "(givenName=SEÁN)",
    "(givenName=Sea\\cc\\81n)",
    "(givenName=sean)",
    "(givenName=\\53e\\c3\\a1n)",
    "(givenName=Se\\e1n)",
    "(givenName=se*n)",
    "(street=hauptstraße 1)",
    "(street=Hauptstrasse 1)",
    "(street=HAUPTSTRASSE 1)",
    "(street=Haupt\\c2\\adstraße 1)",
    "(displayName=☃ SNOW)",
    "(displayName=\\e2\\98\\83*)",
    "(sn=o'hara)",
    "(sn=O\\27Hara)",
    "(initials=S. O.)",
    "(initials=S.O.)",
    "(description=second description)",
    "(description=*description)",
    "(name=languages)",
    "(name=Langues)",
    "(employeeType=PERMANENT)"
  };

  private static final String[] ASCII = {
    "(mail=text@example.org)",
    "(mail=TEXT@EXAMPLE.ORG)",
    "(mail=text@example.org )",
    "(mail=*@example.org)",
    "(mail=text@*)",
    "(mail=te*@ex*.org)",
    "(mail:caseIgnoreIA5Match:=TEXT@example.org)",
    "(mail:1.3.6.1.4.1.1466.109.114.1:=Text@Example.Org)",
    "(mail:caseExactIA5Match:=text@example.org)",
    "(mail=té*)",
    "(homeDirectory=/home/Numbers)",
    "(homeDirectory=/home/numbers)",
    "(homeDirectory=/home/*)",
    "(homeDirectory=*Numbers)",
    "(homeDirectory=*numbers)",
    "(homeDirectory:caseExactIA5Match:=/home/Numbers)",
    "(homeDirectory:caseIgnoreIA5Match:=/HOME/NUMBERS)",
    "(labeledURI=http://example.org/%7Ea A label)",
    "(labeledURI=HTTP://example.org/%7Ea A label)",
    "(labeledURI=*%7E*)"
  };

  private static final String[] NUMBERS = {
    "(uidNumber=70001)",
    "(uidNumber=070001)",
    "(uidNumber=+70001)",
    "(uidNumber= 70001)",
    "(uidNumber=-1)",
    "(uidNumber=99999999999999999999)",
    "(uidNumber=)",
    "(uidNumber>=70001)",
    "(uidNumber>=70002)",
    "(uidNumber<=70001)",
    "(uidNumber<=9)",
    "(uidNumber=7*)",
    "(uidNumber:integerMatch:=70001)",
    "(uidNumber:integerOrderingMatch:=70002)",
    "(uidNumber:2.5.13.14:=70001)",
    "(uidNumber:1.2.840.113556.1.4.803:=1)",
    "(uidNumber:1.2.840.113556.1.4.803:=2)",
    "(uidNumber:1.2.840.113556.1.4.804:=3)",
    "(x121Address=1234567)",
    "(x121Address=12 34 567)",
    "(x121Address=1 2 3 4 5 6 7)",
    "(x121Address=123*)",
    "(x121Address=*4 5*)",
    "(x121Address=*67)",
    "(x121Address=abc)",
    "(x121Address:numericStringMatch:=1234567)",
    "(x121Address:2.5.13.8:=12 34 567)",
    "(internationaliSDNNumber=49891234)",
    "(telephoneNumber=+49 \\2889\\29 1234-56)",
    "(telephoneNumber=+49\\2889\\29123456)",
    "(telephoneNumber=+49 89 123456)",
    "(telephoneNumber=*1234*)",
    "(telephoneNumber=+49*56)",
    "(telephoneNumber=*-*)",
    "(telephoneNumber:telephoneNumberMatch:=+49\\2889\\291234 56)",
    "(facsimileTelephoneNumber=+49 89 1234 99)",
    "(employeeNumber=0042)",
    "(employeeNumber=42)",
    "(departmentNumber=7)",
    "(departmentNumber=1*)",
    "(postalCode=80331)",
    "(postalCode>=8)",
    "(x500UniqueIdentifier='0101'B)",
    "(x500UniqueIdentifier='101'B)",
    "(x500UniqueIdentifier='0101'b)",
    "(x500UniqueIdentifier=0101)",
    "(x500UniqueIdentifier:bitStringMatch:='0101'B)"
  };

  private static final String[] NAMES = {
    "(seeAlso=cn=text,ou=values,dc=example,dc=org)",
    "(seeAlso=CN=TEXT,OU=VALUES,DC=EXAMPLE,DC=ORG)",
    "(seeAlso=cn=text, ou=values, dc=example, dc=org)",
    "(seeAlso=2.5.4.3=text,2.5.4.11=values,dc=example,dc=org)",
    "(seeAlso=commonName=text,ou=values,dc=example,dc=org)",
    "(seeAlso=cn=\\5c74ext,ou=values,dc=example,dc=org)",
    "(seeAlso=cn=text)",
    "(seeAlso=)",
    "(seeAlso=*text*)",
    "(seeAlso=cn=a+serialNumber=7,ou=odd,dc=example,dc=org)",
    "(seeAlso=serialNumber=7+cn=a,ou=odd,dc=example,dc=org)",
    "(seeAlso:distinguishedNameMatch:=cn=text,ou=values,dc=example,dc=org)",
    "(seeAlso:2.5.13.1:=cn=TEXT,ou=values,dc=example,dc=org)",
    "(seeAlso:dnSubtreeMatch:=ou=values,dc=example,dc=org)",
    "(seeAlso:dnOneLevelMatch:=ou=values,dc=example,dc=org)",
    "(seeAlso:dnSubordinateMatch:=cn=text,ou=values,dc=example,dc=org)",
    "(seeAlso:dnSuperiorMatch:=cn=x,cn=text,ou=values,dc=example,dc=org)",
    "(manager=uid=staff1,ou=people,dc=example,dc=org)",
    "(manager=uid=STAFF1,ou=people,dc=example,dc=org)",
    "(secretary=uid=staff1,ou=people,dc=example,dc=org)",
    "(entryDN=cn=text,ou=values,dc=example,dc=org)",
    "(entryDN:dnSubtreeMatch:=ou=values,dc=example,dc=org)",
    "(uniqueMember=uid=staff1,ou=people,dc=example,dc=org)",
    "(uniqueMember=uid=STAFF1, ou=people,dc=example,dc=org)",
    "(uniqueMember=uid=staff2,ou=people,dc=example,dc=org#'0101'B)",
    "(uniqueMember=uid=staff2,ou=people,dc=example,dc=org)",
    "(uniqueMember=*staff1*)",
    "(ou:dn:=values)",
    "(ou:dn:=VALUES)",
    "(dc:dn:=example)",
    "(cn:dn:=text)",
    "(o:dn:=x)",
    "(ou:dn:caseIgnoreMatch:=values)",
    "(ou:dn:2.5.13.5:=Values)",
    "(dc:dn:caseIgnoreIA5Match:=ORG)"
  };

  private static final String[] OTHERS = {
    "(postalAddress=Line one$Line two$80331 München)",
    "(postalAddress=line ONE$line TWO$80331 MÜNCHEN)",
    "(postalAddress=Line one $ Line two$80331 München)",
    "(postalAddress=Line one)",
    "(postalAddress=*Line two*)",
    "(postalAddress:caseIgnoreListMatch:=Line one$Line two$80331 München)",
    "(homePostalAddress=Line A$Line B)",
    "(createTimestamp=20240101000000Z)",
    "(createTimestamp=20240101010000+0100)",
    "(createTimestamp=202401010000Z)",
    "(createTimestamp=20240101000000.0Z)",
    "(createTimestamp>=20240101000000Z)",
    "(createTimestamp>=20240101000001Z)",
    "(createTimestamp<=20231231235959Z)",
    "(createTimestamp=yesterday)",
    "(createTimestamp:generalizedTimeOrderingMatch:=20250101000000Z)",
    "(entryUUID=5eed0000-0000-4000-8000-00000000000a)",
    "(entryUUID=5EED0000-0000-4000-8000-00000000000A)",
    "(entryUUID=no uuid)",
    "(objectClass=inetOrgPerson)",
    "(objectClass=INETORGPERSON)",
    "(objectClass=2.16.840.1.113730.3.2.2)",
    "(objectClass=top)",
    "(objectClass=person)",
    "(objectClass=noSuchClass)",
    "(objectClass=*Person)",
    "(objectClass:objectIdentifierMatch:=groupOfUniqueNames)",
    "(objectClass:2.5.13.0:=2.5.6.17)",
    "(structuralObjectClass=inetOrgPerson)",
    "(hasSubordinates=TRUE)",
    "(hasSubordinates=FALSE)",
    "(hasSubordinates=true)",
    "(hasSubordinates=maybe)",
    "(subschemaSubentry=cn=Subschema)",
    "(creatorsName=cn=loader)",
    "(businessCategory=stars \\2a and \\28parens\\29)",
    "(businessCategory=*\\2a*)",
    "(businessCategory=*\\28*)",
    "(businessCategory=stars*parens\\29)",
    "(o=Back\\5cslash)",
    "(o=back\\5cSLASH)",
    "(description=tab\\09inside)",
    "(description=tab inside)",
    "(description=leading blank)",
    "(description=\\20leading blank)",
    "(description=*\\00*)",
    "(description=\\00)",
    "(carLicense=m-ab 123)",
    "(carLicense=M\\2dAB 123)",
    "(cn;lang-de=Sprachen)",
    "(cn;LANG-DE=sprachen)",
    "(cn;lang-de-at=*Wien)",
    "(cn;lang-de=Sprachen in Wien)",
    "(cn;lang-en=*)",
    "(cn=Langues)",
    "(title;lang-de=*in)",
    "(2.5.4.12;lang-en=professor)",
    "(preferredLanguage=DE, en-GB;q=0.8)",
    "(cn;no-such-option=*)",
    "(;lang-de=x)",
    "(noSuchAttribute=*)",
    "(1.2.3.4.5=*)"
  };

  private static final String[] LOGIC = {
    "(&(cn=text)(sn=o'hara))",
    "(&(sn=o'hara)(cn=text))",
    "(&(cn=text)(cn=text))",
    "(|(cn=text)(cn=names))",
    "(|(cn=names)(cn=text)(cn=text))",
    "(!(cn=text))",
    "(!(!(cn=text)))",
    "(!(|(cn=text)(cn=names)))",
    "(&(!(cn=text))(!(cn=names)))",
    "(|(!(cn=text))(!(cn=names)))",
    "(&(objectClass=person)(|(cn=text)(&(cn=names)(!(manager=uid=staff9)))))",
    "(&(objectClass=person)(&(cn=*)(&(sn=*)(title=*))))",
    "(|(&)(cn=text))",
    "(&(|)(cn=text))",
    "(!(&))",
    "(!(|))",
    "(&(noSuchAttribute=x)(cn=text))",
    "(|(noSuchAttribute=x)(cn=text))",
    "(!(|(noSuchAttribute=x)(cn=text)))",
    "(!(&(noSuchAttribute=x)(cn=text)))",
    "(!(uidNumber=abc))",
    "(&(!(uidNumber=abc))(cn=text))",
    "(!(title=*))",
    "(!(title:noSuchMatch:=x))"
  };

  private static final int DEEP = 30;

  private MatchingSteps() {}

  /** Adds them, on the connection of the manager of people. */
  public static void addTo(Script script) {
    script.on("manager");
    all(script.group("matching of text"), TEXT);
    all(script.group("matching of ASCII"), ASCII);
    all(script.group("matching of numbers"), NUMBERS);
    all(script.group("matching of names"), NAMES);
    all(script.group("matching of other values"), OTHERS);
    all(script.group("logic"), LOGIC);
    script.cached(search(VALUES).filter(nested("(&", "(cn=text)")).attributes("cn"));
    script.cached(search(VALUES).filter(nested("(|", "(cn=text)")).attributes("cn"));
    script.cached(search(VALUES).filter(nested("(!", "(cn=text)")).attributes("cn"));
    many(script.group("many terms"));
  }

  private static void all(Script script, String... filters) {
    for (String filter : filters) {
      script.cached(search(VALUES).filter(filter).attributes("cn"));
    }
  }

  private static String nested(String around, String filter) {
    return around.repeat(DEEP) + filter + ")".repeat(DEEP);
  }

  /** As sudo asks: many names, of which few are there. */
  private static void many(Script script) {
    for (int terms : new int[] {2, 10, 60}) {
      StringBuilder filter = new StringBuilder("(|(cn=text)");
      for (int i = 0; i < terms; i++) {
        filter.append(String.format(Locale.ROOT, "(cn=name%d)", i));
      }
      script.cached(search(VALUES).filter(filter.append(')').toString()).attributes("cn"));
    }
  }
}
