<?php

$server = getenv('BASE_URL');
$metadata[$server] = [
    'AssertionConsumerService' => "$server/auth/saml/callback",
    'SingleLogoutService' => "$server/auth/saml/logout/done",
    'certData' => preg_replace('/-----[A-Z ]+-----|\s/', '', file_get_contents(getenv('PROVIDERS_SCRATCH') . '/server.crt')),
    'validate.authnrequest' => true,
    'validate.logout' => true,
    'sign.logout' => true,
    'saml20.sign.response' => true,
    'saml20.sign.assertion' => true,
];
