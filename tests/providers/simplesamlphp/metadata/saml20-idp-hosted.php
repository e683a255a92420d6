<?php

$key = getenv('IDP_KEY');
$metadata[getenv('IDP_URL') . '/saml2/idp/metadata.php'] = [
    'host' => '__DEFAULT__',
    'privatekey' => "$key.key",
    'certificate' => "$key.crt",
    'auth' => 'people',
    'NameIDFormat' => 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    'attributes.NameFormat' => 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
    'authproc' => [
        3 => [
            'class' => 'saml:AttributeNameID',
            'attribute' => 'email',
            'Format' => 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
        ],
    ],
];
