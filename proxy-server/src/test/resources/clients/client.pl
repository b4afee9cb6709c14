# SPDX-License-Identifier: Apache-2.0
#
# The programme that every client library runs, for Perl's Net::LDAP.
#
# usage: client.pl plain|starttls|ldaps PORT CA-FILE SCHEMA-DN
#
# Prints what the library makes of each answer.
use strict;
use warnings;
use Net::LDAP;
use Net::LDAP::Constant qw(LDAP_CONTROL_PAGED LDAP_CONTROL_SORTRESULT);
use Net::LDAP::Control::ManageDsaIT;
use Net::LDAP::Control::Paged;
use Net::LDAP::Control::Sort;
use Net::LDAP::Extension::SetPassword;
use Net::LDAP::Extension::WhoAmI;

my ($kind, $port, $ca_file, $schema) = @ARGV;
my $suffix   = 'dc=example,dc=com';
my $people   = "ou=people,$suffix";
my $crowd    = "ou=crowd,$suffix";
my $referral = "cn=elsewhere,ou=odd,$suffix";
my ($ada, $ben, $manager) = map { "uid=$_,$people" } qw(ada ben manager);
my ($new, $renamed) = map { "uid=$_,$people" } qw(new renamed);

my $ldap = connection();

# Not answered within this time is answered wrong: the programme ends.
alarm 60;

sub connection {
    my @tls = (verify => 'require', cafile => $ca_file);
    my $scheme = $kind eq 'ldaps' ? 'ldaps' : 'ldap';
    my $made = Net::LDAP->new("$scheme://127.0.0.1:$port", timeout => 30, $kind eq 'ldaps' ? @tls : ())
      or die "cannot connect: $@";
    if ($kind eq 'starttls') {
        my $answer = $made->start_tls(@tls);
        die 'StartTLS: ' . $answer->error if $answer->code;
    }
    return $made;
}

sub step { print "== $_[0]\n" }

sub hex_of { return unpack 'H*', $_[0] // '' }

sub readable { return $_[0] =~ /[\x00-\x08\x0e-\x1f\xff]/ ? '0x' . hex_of($_[0]) : $_[0] }

sub show {
    my ($name, $answer) = @_;
    step($name) if $name;
    if ($answer->isa('Net::LDAP::Search')) {
        show_entry($_) for $answer->entries;
        print "reference: $_\n" for $answer->references;
    }
    print 'result: ' . $answer->code . "\n";
    print 'matched: ' . $answer->dn . "\n" if $answer->code && $answer->dn;
    print 'info: ' . $answer->error . "\n" if $answer->code;
    print "referral: $_\n" for $answer->referrals;
    show_control($_) for $answer->control;
    return $answer;
}

sub show_entry {
    my ($entry) = @_;
    print 'dn: ' . $entry->dn . "\n";
    for my $name ($entry->attributes) {
        print "  $name: " . readable($_) . "\n" for $entry->get_value($name);
    }
}

sub show_control {
    my ($control) = @_;
    print 'control: ' . $control->type . "\n";
    if ($control->type eq LDAP_CONTROL_PAGED) {
        print 'size: ' . $control->size . "\n";
        print 'cookie: ' . hex_of($control->cookie) . "\n";
    }
    print 'sortResult: ' . $control->result . "\n" if $control->type eq LDAP_CONTROL_SORTRESULT;
}

sub who_am_i {
    my ($name) = @_;
    my $answer = $ldap->who_am_i;
    show($name, $answer);
    print 'I am: ' . ($answer->response // '') . "\n";
}

sub bind_as {
    my ($name, $dn, $password) = @_;
    show($name, $ldap->bind($dn, password => $password));
}

sub search {
    my ($name, $base, $scope, %more) = @_;
    return show($name, $ldap->search(base => $base, scope => $scope, filter => '(objectClass=*)', %more));
}

sub reads {
    my ($prefix) = @_;
    search($prefix . 'search-base', $ada, 'base');
    search($prefix . 'search-one', $suffix, 'one', filter => '(ou=*)', attrs => ['ou', 'objectClass']);
    search($prefix . 'search-subtree', $people, 'sub',
        filter => '(sn=*)', attrs => ['cn', 'sn', 'entryUUID']);
    search($prefix . 'search-missing', "uid=nobody,$people", 'base');
    show($prefix . 'compare-true', $ldap->compare($ada, attr => 'sn', value => 'Lovelace'));
    show($prefix . 'compare-false', $ldap->compare($ada, attr => 'sn', value => 'Byron'));
}

sub pages {
    my $page = Net::LDAP::Control::Paged->new(size => 3, critical => 1);
    my $name = 'pages';
    while (1) {
        my $answer = search($name, $people, 'one',
            filter => '(sn=*)', attrs => ['sn'], control => [$page]);
        my ($answered) = $answer->control(LDAP_CONTROL_PAGED);
        last unless $answered && length($answered->cookie // '');
        $page->cookie($answered->cookie);
        $name = '';
    }
}

sub writes {
    my @entry = (objectClass => 'inetOrgPerson', uid => 'new', cn => 'New One', sn => 'One');
    bind_as('bind-manager', $manager, 'pw-manager');
    show('add', $ldap->add($new, attrs => [@entry]));
    show('add-present', $ldap->add($new, attrs => [@entry]));
    search('read-added', $new, 'base');
    show('modify', $ldap->modify($new, changes =>
        [replace => [mail => 'new@example.com'], add => [title => ['First', 'Second']]]));
    search('read-modified', $new, 'base', attrs => ['*', 'entryCSN', 'modifyTimestamp']);
    show('rename', $ldap->moddn($new, newrdn => 'uid=renamed', deleteoldrdn => 1));
    search('read-old-name', $new, 'base');
    search('read-renamed', $renamed, 'base');
    show('delete', $ldap->delete($renamed));
    show('delete-missing', $ldap->delete($renamed));
    search('read-deleted', $renamed, 'base');
}

sub passwords {
    bind_as('bind-ben', $ben, 'pw-ben');
    show('password-modify',
        $ldap->set_password(user => $ben, oldpasswd => 'pw-ben', newpasswd => 'other'));
    bind_as('bind-old-password', $ben, 'pw-ben');
    bind_as('bind-new-password', $ben, 'other');
    show('password-back',
        $ldap->set_password(user => $ben, oldpasswd => 'other', newpasswd => 'pw-ben'));
}

sub abandon {
    $ldap->async;
    my $search = $ldap->search(base => $crowd, filter => '(objectClass=*)');
    $ldap->sync;
    $ldap->abandon($search);
    who_am_i('abandon');
}

search('root-dse', '', 'base', attrs => [qw(namingContexts subschemaSubentry supportedControl
    supportedExtension supportedFeatures supportedLDAPVersion supportedSASLMechanisms)]);
search('schema', $schema, 'base', filter => '(objectClass=subschema)',
    attrs => [qw(attributeTypes objectClasses matchingRules ldapSyntaxes)]);
bind_as('bind-right', $ada, 'pw-ada');
who_am_i('who-am-i');
reads('');
pages();
search('sort', $people, 'one', filter => '(sn=*)', attrs => ['sn'],
    control => [Net::LDAP::Control::Sort->new(order => '-sn:caseIgnoreOrderingMatch', critical => 1)]);
search('referral-base', $referral, 'base');
search('referral-subtree', $suffix, 'sub', filter => '(uid=ada)', attrs => ['uid']);
search('referral-managed', $referral, 'base', attrs => ['cn', 'ref'],
    control => [Net::LDAP::Control::ManageDsaIT->new(critical => 1)]);
bind_as('bind-wrong', $ada, 'wrong');
search('anonymous-after-it', $ada, 'base');
writes();
passwords();
bind_as('bind-again', $ada, 'pw-ada');
abandon();
reads('again-');
show('unbind', $ldap->unbind);
