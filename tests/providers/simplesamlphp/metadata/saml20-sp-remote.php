<?php

$metadata[getenv('SP_ID')] = [
    'AssertionConsumerService' => getenv('SP_CALLBACK'),
    'SingleLogoutService' => getenv('SP_LOGOUT'),
    'certData' => preg_replace('/-----[A-Z ]+-----|\s/', '', file_get_contents(getenv('PROVIDERS_SCRATCH') . '/server.crt')),
    'validate.authnrequest' => true,
    'validate.logout' => true,
    'sign.logout' => true,
    'saml20.sign.response' => true,
    'saml20.sign.assertion' => true,
];
