<?php

// SimpleSAMLphp as a provider for the tests; the environment says the rest.
$config = [
    'baseurlpath' => getenv('IDP_URL') . '/',
    'certdir' => getenv('IDP_KEYS') . '/',
    'loggingdir' => getenv('IDP_DATA') . '/',
    'datadir' => getenv('IDP_DATA') . '/',
    'tempdir' => getenv('IDP_DATA') . '/',
    'metadatadir' => __DIR__ . '/metadata/',
    'technicalcontact_email' => 'nobody@example.com',
    'secretsalt' => 'of the tests',
    'auth.adminpassword' => 'of the tests',
    'timezone' => 'UTC',
    'logging.handler' => 'errorlog',
    'logging.level' => SimpleSAML\Logger::WARNING,
    'showerrors' => true,
    'admin.checkforupdates' => false,
    'enable.saml20-idp' => true,
    'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
    'store.type' => 'phpsession',
    'session.phpsession.savepath' => getenv('IDP_DATA'),
    'session.cookie.secure' => false,
    'session.cookie.samesite' => 'Lax',
    'language.cookie.secure' => false,
    'language.default' => 'en',
    'metadata.sources' => [['type' => 'flatfile', 'directory' => __DIR__ . '/metadata/']],
];
