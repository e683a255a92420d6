<?php

$config = [
    'people' => [
        'exampleauth:UserPass',
        'ada:secret' => [
            'email' => ['ada@simplesamlphp.example'],
            'firstName' => ['Ada'],
            'lastName' => ['Lovelace'],
            'groups' => json_decode(file_get_contents(getenv('IDP_DATA') . '/groups.json')),
        ],
    ],
];
